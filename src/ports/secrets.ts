/** Named secrets of a project. */
export interface Secrets {
  /**
   * Values of all the names, trailing line breaks removed.
   * Throws ConfigError that names every missing secret, never a value.
   */
  read(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
