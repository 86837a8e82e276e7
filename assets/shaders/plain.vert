#version 330 core
// image.vert without smoothed edges and without limits of the texels.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 2) in vec4 c;
layout(location = 3) in vec4 colour;
uniform vec2 to_clip;
uniform sampler2D image;
flat out vec4 v_colour;
out vec2 v_texel;
void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  v_texel = mix(c.xy, c.zw, corner) / vec2(textureSize(image, 0));
  v_colour = colour;
  vec2 grown = corner * 2.0 - 1.0;
  vec2 at = a.xy + a.zw * grown.x + b.xy * grown.y;
  gl_Position = vec4(at * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
