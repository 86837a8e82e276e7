// Assertions with messages. Compiled out with NDEBUG (Release); enabled in Debug and Sanitize builds.
#ifndef SHOAL_BASE_ASSERT_H
#define SHOAL_BASE_ASSERT_H

#ifdef NDEBUG
#define shoal_assert(condition, ...) ((void)0)
#else
// The message, in printf style, states the violated condition: shoal_assert(n < 4, "leg %u is out of range", n)
#define shoal_assert(condition, ...)                                                                                   \
  ((condition) ? (void)0 : assert_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))
#endif

#ifdef __GNUC__
__attribute__((format(printf, 4, 5), noreturn))
#endif
void assert_failed(const char *file, int line, const char *condition, const char *format, ...);

#endif
