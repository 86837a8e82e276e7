#version 330 core
// An image with a material: like image.vert, but enlarged by the outline, and with the values of the material.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 2) in vec4 c;
layout(location = 3) in vec4 colour;
layout(location = 4) in vec4 look; // three bytes each: colours of flash, outline, dissolve edge; strengths
uniform vec2 to_clip;
uniform sampler2D image;
flat out vec4 v_limits;   // frame of the image in texels
flat out vec4 v_colour;
flat out vec4 v_flash;    // w: strength
flat out vec4 v_outline;  // w: strength
flat out vec4 v_edge;     // w: strength
flat out vec3 v_amounts;  // width of the outline in texels; dissolve; 1 for sharp texels
out vec2 v_texel;         // position in texels

vec3 three_bytes(float x) {
  return vec3(floor(x / 65536.0), floor(mod(x, 65536.0) / 256.0), mod(x, 256.0)) / 255.0;
}

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  vec3 strengths = three_bytes(look.w), more = three_bytes(b.w);
  float width = strengths.y > 0.0 ? more.x * 16.0 : 0.0;
  vec2 size = max(abs(c.zw - c.xy), vec2(0.001));
  vec2 grown = corner * (1.0 + 2.0 * (width + 1.0) / size);
  v_texel = mix(c.xy, c.zw, grown * 0.5 + 0.5);
  v_limits = vec4(min(c.xy, c.zw), max(c.xy, c.zw));
  v_colour = colour;
  v_flash = vec4(three_bytes(look.x), strengths.x);
  v_outline = vec4(three_bytes(look.y), strengths.y);
  v_edge = vec4(three_bytes(look.z), more.y);
  v_amounts = vec3(width, strengths.z, more.z);
  vec2 at = a.xy + a.zw * grown.x + b.xy * grown.y;
  gl_Position = vec4(at * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
