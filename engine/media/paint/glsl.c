// Compiles and links GLSL, and extracts line numbers from driver messages, whose formats differ.
#include "paint/glsl.h"

#include "base/assert.h"
#include "paint/program_cache.h"

#include <stdlib.h>
#include <string.h>

// Parses "0:12(5): error: …" (Mesa) and "0(12) : error …" (drivers of other vendors). Returns the line and advances
// `*message` to the text of the error, or returns 0 if the message has a different format.
static uint32_t parse_error_line(const char **message) {
  const char *p = *message;
  if (*p < '0' || *p > '9')
    return 0;
  p += strspn(p, "0123456789");
  if (*p != ':' && *p != '(')
    return 0;
  char *end = NULL;
  unsigned long line = strtoul(p + 1, &end, 10);
  if (end == p + 1 || line == 0 || line > 1000000)
    return 0;
  const char *text = strstr(end, ": ");
  *message = text ? text + 2 : end;
  return (uint32_t)line;
}

static GLuint compile_shader(GLenum kind, const glsl_stage_t *stage, error_info_t *error) {
  const GLchar *sources[2] = {stage->head, stage->text};
  GLuint shader = glCreateShader(kind);
  GLint succeeded = 0;
  char message[700] = "";
  shoal_assert(stage->head && stage->text, "%s: head and text must not be NULL", stage->origin);
  glShaderSource(shader, 2, sources, NULL);
  glCompileShader(shader);
  glGetShaderiv(shader, GL_COMPILE_STATUS, &succeeded);
  if (succeeded)
    return shader;
  glGetShaderInfoLog(shader, sizeof message, NULL, message);
  glDeleteShader(shader);
  message[strcspn(message, "\r\n")] = '\0';
  const char *description = message;
  uint32_t line = parse_error_line(&description);
  error_set_at(error, stage->origin, line, "the OpenGL driver rejected the shader: %s", description);
  return 0;
}

static GLuint link_stages(GLuint vertex, GLuint fragment, uint64_t key, const char *origin, error_info_t *error) {
  GLuint program = glCreateProgram();
  GLint succeeded = 0;
  char message[700] = "";
  program_cache_prepare(key, program);
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glGetProgramiv(program, GL_LINK_STATUS, &succeeded);
  if (succeeded)
    return program;
  glGetProgramInfoLog(program, sizeof message, NULL, message);
  glDeleteProgram(program);
  message[strcspn(message, "\r\n")] = '\0';
  error_set(error, "%s: the OpenGL driver rejected the shader: %s", origin, message);
  return 0;
}

GLuint glsl_link_program(const glsl_stage_t *vertex, const glsl_stage_t *fragment, error_info_t *error) {
  const char *const strings[] = {vertex->head, vertex->text, fragment->head, fragment->text};
  uint64_t key = program_cache_key(strings, sizeof strings / sizeof *strings);
  GLuint program = program_cache_read(key);
  if (program)
    return program;
  GLuint vertex_shader = compile_shader(GL_VERTEX_SHADER, vertex, error);
  GLuint fragment_shader = vertex_shader ? compile_shader(GL_FRAGMENT_SHADER, fragment, error) : 0;
  if (fragment_shader)
    program = link_stages(vertex_shader, fragment_shader, key, fragment->origin, error);
  glDeleteShader(vertex_shader);
  glDeleteShader(fragment_shader);
  if (program)
    program_cache_write(key, program);
  return program;
}
