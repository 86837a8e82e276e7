#version 330 core
// image.vert for parts of images that are drawn smaller and that mipmaps would mix with their neighbours.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 2) in vec4 c;
layout(location = 3) in vec4 colour;
uniform vec2 to_clip;
uniform sampler2D image;
flat out vec4 v_limits;
flat out vec4 v_colour;
flat out vec3 v_half;
flat out vec4 v_taps; // number of samples along x and y; distance between them
out vec2 v_p;
out vec2 v_texel;
void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  vec2 size = vec2(textureSize(image, 0));
  vec2 extent = vec2(length(a.zw), length(b.xy));
  vec2 grown = corner * (1.0 + b.z / max(extent, vec2(0.01)));
  vec2 footprint = abs(c.zw - c.xy) / max(2.0 * extent, vec2(0.01)); // texels per pixel
  v_taps.xy = clamp(ceil(footprint - 0.2), vec2(1.0), vec2(4.0));
  v_taps.zw = footprint / size / v_taps.xy;
  v_p = grown * extent;
  v_half = vec3(extent, b.z);
  v_texel = mix(c.xy, c.zw, grown * 0.5 + 0.5) / size - 0.5 * (v_taps.xy - 1.0) * v_taps.zw;
  v_limits = vec4(min(c.xy, c.zw) + 0.5, max(c.xy, c.zw) - 0.5) / size.xyxy;
  v_colour = colour;
  vec2 at = a.xy + a.zw * grown.x + b.xy * grown.y;
  gl_Position = vec4(at * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
