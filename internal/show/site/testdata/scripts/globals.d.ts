// The vendored scripts that set a name for all: their types are not kept here.
declare const graphology: any;
declare const graphologyLibrary: any;
declare const Sigma: any;
