// As much of MiniSearch as the table of a kind uses.
export default class MiniSearch {
  constructor(options: object);
  addAllAsync(documents: readonly object[], options: { chunkSize: number }): Promise<void>;
  search(query: string): { id: number }[];
}
