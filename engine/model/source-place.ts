/** A source position; inlined code names the place in the innermost function, and `outer` the call it came through. */
export interface SourcePlace {
  file: string;
  line: number;
  column: number;
}
