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

// Returns the side of the blocks of texels that are averaged in the coarsest mipmap level that is used. Samples keep
// half a block of distance from the edges of the part.
float block_size(vec4 part, vec2 size, vec2 extent) {
  vec2 footprint = (part.zw - part.xy) / max(2.0 * extent, vec2(0.01)); // texels per pixel
  float reduction = max(footprint.x, footprint.y);
  bool uses_mipmaps = reduction > 1.001 && part != vec4(0.0, 0.0, size);
  return uses_mipmaps ? exp2(ceil(log2(reduction * 1.07))) : 1.0; // 1.07: drivers approximate the logarithm
}

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  vec2 size = vec2(textureSize(image, 0));
  vec2 extent = vec2(length(a.zw), length(b.xy));
  vec2 grown = corner * (1.0 + b.z / max(extent, vec2(0.01)));
  v_p = grown * extent;
  v_half = vec4(extent, b.z, b.w);
  v_texel = mix(c.xy, c.zw, grown * 0.5 + 0.5) / size;
  vec4 part = vec4(min(c.xy, c.zw), max(c.xy, c.zw));
  vec2 inset = vec2(0.5 * block_size(part, size, extent));
  inset = min(inset, 0.5 * (part.zw - part.xy));
  v_limits = vec4(part.xy + inset, part.zw - inset) / size.xyxy;
  v_colour = colour;
  vec2 at = a.xy + a.zw * grown.x + b.xy * grown.y;
  gl_Position = vec4(at * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
