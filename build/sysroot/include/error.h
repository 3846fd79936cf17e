/* As glibc has it. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
void error(int, int, const char *, ...) __attribute__((__format__(__printf__, 3, 4)));
void error_at_line(int, int, const char *, unsigned, const char *, ...) __attribute__((__format__(__printf__, 5, 6)));
extern unsigned error_message_count;
#ifdef __cplusplus
}
#endif
