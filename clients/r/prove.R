# Reads the five files in each folder, and then the first of them with bytes changed: prove.R KEY STEP
# FOLDERS. It writes the ID of each record, and which changes were not noticed.

source("r/stele.R", encoding = "UTF-8")
arguments <- commandArgs(trailingOnly = TRUE)
names <- c("record", "index", "manifest", "proof", "checkpoint")
paths <- function(folder) stats::setNames(as.list(file.path(folder, names)), names)
verify <- function(files) do.call(stele_verify_record, c(files, key = arguments[1]))

for (folder in arguments[-(1:2)]) cat(basename(folder), " ", verify(paths(folder))$id, "\n", sep = "")

files <- lapply(paths(arguments[3]), function(path) readBin(path, "raw", file.info(path)$size))
for (n in names) for (i in seq(1, length(files[[n]]), as.integer(arguments[2]))) for (bit in c(1, 32)) {
  changed <- files
  changed[[n]][i] <- xor(changed[[n]][i], as.raw(bit))
  tryCatch({
    verify(changed)
    cat("taken:", n, i, bit, "\n")
  }, stele_damaged = identity, stele_refused = identity)
}
