// Render targets: textures with framebuffers.
#include "render/target.h"

#include "base/assert.h"

void target_init(target_t *target, int width, int height, GLint format, GLint filter) {
  shoal_assert(width > 0 && height > 0, "the target size must be positive, got %d × %d", width, height);
  target->width = width;
  target->height = height;
  glGenTextures(1, &target->texture);
  glBindTexture(GL_TEXTURE_2D, target->texture);
  glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, GL_RGBA, format == GL_RGBA8 ? GL_UNSIGNED_BYTE : GL_FLOAT,
               NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glGenFramebuffers(1, &target->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->texture, 0);
}

void target_fini(target_t *target) {
  glDeleteFramebuffers(1, &target->framebuffer);
  glDeleteTextures(1, &target->texture);
  *target = (target_t){0};
}
