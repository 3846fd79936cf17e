/* The tag of C++ exceptions, and what code and the personality hand each other (libunwind's Unwind-wasm.c has the functions). */
__asm__(".tagtype __cpp_exception i64\n"
        ".globl __cpp_exception\n"
        "__cpp_exception:\n");
