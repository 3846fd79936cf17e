/**
 * Columns of a table as a list, which is how kinds of events have those of their tables: `start!, end, text TEXT`. They are whole numbers
 * where no type is given, and `!` is NOT NULL.
 */

export interface ColumnDefinition {
  name: string;
  /** Type as in CREATE TABLE. */
  type: string;
}

export const columnDefinitions = (list: string): ColumnDefinition[] => list.split(',').map(definition);

function definition(text: string): ColumnDefinition {
  const [, name = '', mark, type = 'INTEGER', typeMark, key = ''] =
    /^\s*(\w+)(!)?(?:\s+(TEXT|REAL)(!)?)?( PRIMARY KEY)?$/.exec(text)!;
  return { name, type: `${type}${(mark ?? typeMark) ? ' NOT NULL' : ''}${key}` };
}
