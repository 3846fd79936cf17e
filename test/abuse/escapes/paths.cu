// Tries to reach what a program was not granted, by every call that takes a name. Prints what worked:  "operation<TAB>path".
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void worked(const char *what, const char *path) { printf("%s\t%s\n", what, path); }

int main(int count, char **paths) {
  for (int i = 1; i < count; i++) {
    const char *path = paths[i];
    struct stat info;
    char target[256];
    if (int file = open(path, O_RDONLY); file >= 0) worked("open", path), close(file);
    if (int file = open(path, O_RDWR); file >= 0) worked("open for writing", path), close(file);
    if (int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666); file >= 0) worked("create", path), close(file);
    if (int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666); file >= 0) worked("create anew", path), close(file);
    if (int file = open(path, O_WRONLY | O_APPEND); file >= 0) worked("append", path), close(file);
    if (FILE *file = fopen(path, "rb")) worked("fopen", path), fclose(file);
    if (DIR *folder = opendir(path)) worked("opendir", path), closedir(folder);
    if (stat(path, &info) == 0) worked("stat", path);
    if (lstat(path, &info) == 0) worked("lstat", path);
    if (access(path, R_OK) == 0) worked("access", path);
    if (readlink(path, target, sizeof target) >= 0) worked("readlink", path);
    if (mkdir(path, 0777) == 0) worked("mkdir", path);
    if (rename(path, "taken") == 0) worked("rename from", path);
    if (rename("own.txt", path) == 0) worked("rename to", path);
    if (link(path, "linked") == 0) worked("link", path);
    if (symlink(path, "pointing") == 0) worked("symlink", path);
    if (truncate(path, 0) == 0) worked("truncate", path);
    if (unlink(path) == 0) worked("unlink", path);
    if (rmdir(path) == 0) worked("rmdir", path);
    for (int folder = 3; folder < 8; folder++) {
      if (int file = openat(folder, path, O_RDONLY); file >= 0) worked("openat", path), close(file);
      if (fstatat(folder, path, &info, 0) == 0) worked("fstatat", path);
      if (mkdirat(folder, path, 0777) == 0) worked("mkdirat", path);
      if (unlinkat(folder, path, 0) == 0) worked("unlinkat", path);
    }
  }
  printf("tried %d\n", count - 1);
}
