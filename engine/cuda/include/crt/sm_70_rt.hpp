/* Clang's intrinsics header asks for this name; what NVIDIA keeps here is in simsight/device.h. */
