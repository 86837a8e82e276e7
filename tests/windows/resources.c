// Prints what Windows reads from the resources of the program given as the argument: icons, version and subsystem.
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

static void print_string(const void *version, const char *key) {
  wchar_t path[100], *value;
  char text[200];
  UINT length;
  swprintf(path, 100, L"\\StringFileInfo\\040904b0\\%hs", key);
  if (!VerQueryValueW(version, path, (void **)&value, &length)) {
    printf("%s is missing\n", key);
    return;
  }
  WideCharToMultiByte(CP_UTF8, 0, value, -1, text, sizeof text, NULL, NULL);
  printf("%s: %s\n", key, text);
}

static void print_version(const wchar_t *file) {
  VS_FIXEDFILEINFO *numbers;
  UINT length;
  DWORD bytes = GetFileVersionInfoSizeW(file, NULL);
  void *version = malloc(bytes + 1);
  if (!GetFileVersionInfoW(file, 0, bytes, version) || !VerQueryValueW(version, L"\\", (void **)&numbers, &length)) {
    puts("no version");
    return;
  }
  printf("version %u.%u.%u.%u\n", HIWORD(numbers->dwFileVersionMS), LOWORD(numbers->dwFileVersionMS),
         HIWORD(numbers->dwFileVersionLS), LOWORD(numbers->dwFileVersionLS));
  print_string(version, "FileDescription");
  print_string(version, "FileVersion");
  print_string(version, "OriginalFilename");
  free(version);
}

// Loads the icon at a size, as the desktop does, and prints its size and the colour of its centre.
static void print_icon(HMODULE program, int side) {
  HICON icon = LoadImageW(program, MAKEINTRESOURCEW(1), IMAGE_ICON, side, side, 0);
  ICONINFO info = {0};
  BITMAP colour = {0};
  if (!icon || !GetIconInfo(icon, &info) || !GetObjectW(info.hbmColor, sizeof colour, &colour)) {
    printf("no icon of %d pixels\n", side);
    return;
  }
  BITMAPINFO format = {
      .bmiHeader = {
          .biSize = sizeof(BITMAPINFOHEADER), .biWidth = side, .biHeight = -side, .biPlanes = 1, .biBitCount = 32}};
  unsigned char *pixels = calloc((size_t)side * (size_t)side, 4);
  HDC screen = GetDC(NULL);
  GetDIBits(screen, info.hbmColor, 0, (UINT)side, pixels, &format, DIB_RGB_COLORS);
  const unsigned char *corner = pixels, *centre = pixels + ((size_t)side / 2 * (size_t)side + (size_t)side / 2) * 4;
  printf("icon %ld x %ld, alpha of the corner %d, centre %02x%02x%02x\n", colour.bmWidth, colour.bmHeight, corner[3],
         centre[2], centre[1], centre[0]);
  free(pixels);
}

int main(int argc, char **argv) {
  wchar_t file[MAX_PATH];
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc != 2 || !MultiByteToWideChar(CP_UTF8, 0, argv[1], -1, file, MAX_PATH))
    return 1;
  print_version(file);
  HMODULE program = LoadLibraryExW(file, NULL, LOAD_LIBRARY_AS_DATAFILE);
  print_icon(program, 16);
  print_icon(program, 48);
  HRSRC manifest = FindResourceW(program, MAKEINTRESOURCEW(1), (LPCWSTR)RT_MANIFEST);
  printf("manifest of %lu bytes\n", manifest ? SizeofResource(program, manifest) : 0);
  DWORD type;
  GetBinaryTypeW(file, &type);
  printf("runs: %s\n", type == SCS_64BIT_BINARY ? "64-bit" : "no");
  return 0;
}
