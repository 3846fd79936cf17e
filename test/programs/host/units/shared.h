#pragma once
#ifdef __cplusplus
void runOther(int *x);
int fromCpp(const char *text);
extern "C" int fromC(int x);
#else
int fromC(int x);
#endif
