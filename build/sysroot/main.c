/* Programs whose `main` takes arguments. Clang names it so; one without arguments is `__main_void` itself. */
extern long *__simsight_start_block;
__attribute__((__weak__)) int __main_argc_argv(int argc, char **argv);
int __main_void(void) { return __main_argc_argv((int)*__simsight_start_block, (char **)(__simsight_start_block + 1)); }
