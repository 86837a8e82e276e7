#version 330 core
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 2) in vec4 c;
layout(location = 3) in vec4 colour;
uniform vec2 to_clip;
uniform sampler2D image;
flat out vec4 v_limits;
flat out vec4 v_colour;
flat out vec4 v_half; // w: 1 for sharp texels
out vec2 v_p;
out vec2 v_texel;
void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  vec2 size = vec2(textureSize(image, 0));
  vec2 extent = vec2(length(a.zw), length(b.xy));
  vec2 grown = corner * (1.0 + b.z / max(extent, vec2(0.01)));
  v_p = grown * extent;
  v_half = vec4(extent, b.z, b.w);
  v_texel = mix(c.xy, c.zw, grown * 0.5 + 0.5) / size;
  v_limits = vec4(min(c.xy, c.zw) + 0.5, max(c.xy, c.zw) - 0.5) / size.xyxy;
  v_colour = colour;
  vec2 at = a.xy + a.zw * grown.x + b.xy * grown.y;
  gl_Position = vec4(at * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
