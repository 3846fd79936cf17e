/**
 * Names of static kernels and variables. Relocatable device code gives those that the host refers to a suffix, so that several files may
 * have one name each: `_ZL4stepPi__intern__ef65d5958420cdcf`.
 */
const suffix = /__(static|intern)__([0-9a-f_]+)$/;
const linkedSuffix = /\.(?:static|intern)\.[0-9a-f]+$/;

/** The name without a suffix, for modules of one file. */
export const withoutSuffix = (name: string): string => name.replace(suffix, '');

/** The name in a module that is linked of several files, where it keeps what tells them apart. */
export const nameInLinked = (name: string): string => name.replace(suffix, '.$1.$2');

/** What the source calls it, from either. */
export const nameInSource = (name: string): string => withoutSuffix(name).replace(linkedSuffix, '');

/** What tells a static kernel or variable of a file from one of the same name in another file. */
export const nameInModule = (name: string, module: number): string => `${name}.${module}`;
