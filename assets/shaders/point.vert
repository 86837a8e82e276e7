#version 330 core
// plain.vert for upright squares, each drawn as one point, which is half the work of two triangles.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 2) in vec4 c;
layout(location = 3) in vec4 colour;
uniform vec2 to_clip;
uniform float margin; // pixels around the picture, so that points whose centre is outside are not clipped
uniform sampler2D image;
flat out vec4 v_texels;
flat out vec4 v_colour;
void main() {
  vec4 texels = vec4(a.z < 0.0 ? c.zx : c.xz, b.y < 0.0 ? c.wy : c.yw).xzyw;
  v_texels = texels / vec2(textureSize(image, 0)).xyxy;
  v_colour = colour;
  gl_PointSize = abs(a.z) * 2.0;
  gl_Position = vec4((a.xy + margin) * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
