// The GLSL of gl.c.
#ifndef SHOAL_RENDER_SHADERS_H
#define SHOAL_RENDER_SHADERS_H

#define GLSL(...) "#version 330 core\n" #__VA_ARGS__

// The layout program would set GLSL as if it were C.
// clang-format off

// Every corner of an instance: gl_VertexID 0 … 3 as a strip. See frame.h for what a, b and c hold.
static const char SHAPE_VERTEX[] = GLSL(
  layout(location = 0) in vec4 a; layout(location = 1) in vec4 b; layout(location = 2) in vec4 c;
  layout(location = 3) in vec4 colour; layout(location = 4) in float kind;
  uniform vec2 to_clip;
  flat out vec4 v_box; flat out vec4 v_cut; flat out vec4 v_colour; out vec3 v_p;
  void main() {
    int id = gl_VertexID;
    vec2 corner = vec2(float(id & 1), float(id >> 1)) * 2.0 - 1.0;
    vec2 p = corner * (b.xy + vec2(b.z + max(b.w, 0.0) + 1.0));
    vec2 at = a.xy + a.zw * p.x + vec2(-a.w, a.z) * p.y;
    v_box = b;
    v_cut = c;
    v_p = vec3(p, 1.0);
    if (kind > 0.5) {
      at = id == 0 ? a.xy : id == 1 ? a.zw : id == 2 ? b.xy : b.zw;
      v_box = vec4(1e4, 1e4, 0.0, -1.0);
      v_cut = vec4(0.0);
      v_p = vec3(0.0, 0.0, id == 0 ? c.x : id == 1 ? c.y : id == 2 ? c.z : c.w);
    }
    v_colour = colour;
    gl_Position = vec4(at * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
  });

// The distance to a box with round corners is all: a circle is one without a core, a line one without a height.
static const char SHAPE_FRAGMENT[] = GLSL(
  flat in vec4 v_box; flat in vec4 v_cut; flat in vec4 v_colour; in vec3 v_p;
  out vec4 result;
  void main() {
    vec2 q = abs(v_p.xy) - v_box.xy;
    float d = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - v_box.z;
    d = v_box.w < 0.0 ? d : abs(d) - v_box.w;
    float cover = clamp(0.5 - d, 0.0, 1.0) * v_p.z;
    float start = dot(v_cut.xy, vec2(v_p.x + v_box.x, v_p.y));
    float end = dot(v_cut.zw, vec2(v_p.x - v_box.x, v_p.y));
    cover *= step(start, -0.01 * dot(v_cut.xy, v_cut.xy)) * step(end, 0.01 * dot(v_cut.zw, v_cut.zw));
    result = v_colour * cover;
  });

static const char IMAGE_VERTEX[] = GLSL(
  layout(location = 0) in vec4 a; layout(location = 1) in vec4 b; layout(location = 2) in vec4 c;
  layout(location = 3) in vec4 colour;
  uniform vec2 to_clip; uniform sampler2D image;
  flat out vec4 v_limits; flat out vec4 v_colour; flat out vec3 v_half; out vec2 v_p; out vec2 v_texel;
  void main() {
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    vec2 size = vec2(textureSize(image, 0));
    vec2 extent = vec2(length(a.zw), length(b.xy));
    vec2 grown = corner * (1.0 + b.z / max(extent, vec2(0.01)));
    v_p = grown * extent;
    v_half = vec3(extent, b.z);
    v_texel = mix(c.xy, c.zw, grown * 0.5 + 0.5) / size;
    v_limits = vec4(min(c.xy, c.zw) + 0.5, max(c.xy, c.zw) - 0.5) / size.xyxy;
    v_colour = colour;
    vec2 at = a.xy + a.zw * grown.x + b.xy * grown.y;
    gl_Position = vec4(at * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
  });

static const char IMAGE_FRAGMENT[] = GLSL(
  flat in vec4 v_limits; flat in vec4 v_colour; flat in vec3 v_half; in vec2 v_p; in vec2 v_texel;
  uniform sampler2D image;
  out vec4 result;
  void main() {
    vec2 d = abs(v_p) - v_half.xy;
    float cover = v_half.z > 0.0 ? clamp(0.5 - max(d.x, d.y), 0.0, 1.0) : 1.0;
    result = texture(image, clamp(v_texel, v_limits.xy, v_limits.zw)) * v_colour * cover;
  });

static const char SCREEN_VERTEX[] = GLSL(
  void main() {
    vec2 corner = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
  });

// A quarter of the picture's size; what is dark counts less than what is bright, so that a background does not glow.
static const char GATHER_FRAGMENT[] = GLSL(
  uniform sampler2D image; uniform vec2 texel;
  out vec4 result;
  vec3 bright(vec2 at) {
    vec3 c = texture(image, at).rgb;
    return c * min(max(c.r, max(c.g, c.b)), 4.0);
  }
  void main() {
    vec2 at = gl_FragCoord.xy * 4.0 * texel;
    result = vec4(0.25 * (bright(at - texel) + bright(at + texel) + bright(at + vec2(texel.x, -texel.y)) +
                          bright(at + vec2(-texel.x, texel.y))), 1.0);
  });

// Half the size of the level before.
static const char SHRINK_FRAGMENT[] = GLSL(
  uniform sampler2D image; uniform vec2 texel;
  out vec4 result;
  void main() {
    vec2 at = gl_FragCoord.xy * 2.0 * texel;
    vec3 sum = texture(image, at).rgb * 4.0;
    sum += texture(image, at - texel).rgb + texture(image, at + texel).rgb;
    sum += texture(image, at + vec2(texel.x, -texel.y)).rgb + texture(image, at + vec2(-texel.x, texel.y)).rgb;
    result = vec4(sum * 0.125, 1.0);
  });

// Smoothed, at the same size (scale 1) or twice the size (scale 0.5), added to the level above.
static const char SPREAD_FRAGMENT[] = GLSL(
  uniform sampler2D image; uniform vec2 texel; uniform float weight; uniform float scale;
  out vec4 result;
  void main() {
    vec2 at = gl_FragCoord.xy * scale * texel;
    vec2 h = texel * 0.5;
    vec3 sum = texture(image, at - h).rgb + texture(image, at + h).rgb;
    sum += texture(image, at + vec2(h.x, -h.y)).rgb + texture(image, at + vec2(-h.x, h.y)).rgb;
    result = vec4(sum * 0.25 * weight, 1.0);
  });

// Scene plus bloom to the screen. The glow of wide bright areas is bounded, or it would swallow their edges. What is below 0.8
// stays as it is, above it bends towards 1; light past that whitens. The noise hides the steps of dark gradients and leaves
// black black.
static const char FINAL_FRAGMENT[] = GLSL(
  uniform sampler2D image; uniform sampler2D glow; uniform vec2 corner; uniform vec2 glow_texel; uniform float strength;
  out vec4 result;
  void main() {
    vec2 p = gl_FragCoord.xy - corner;
    vec3 light = texture(glow, p * 0.25 * glow_texel).rgb;
    light *= 2.6 / (1.0 + 3.2 * max(light.r, max(light.g, light.b)));
    vec3 c = texelFetch(image, ivec2(p), 0).rgb + light * strength;
    float m = max(c.r, max(c.g, c.b));
    float x = min(max(m - 0.8, 0.0) * 5.0, 2.0);
    float bent = min(m, 0.8) + 0.2 * (x - x * x * 0.25);
    c *= bent / max(m, 1e-4);
    c = mix(c, vec3(bent), clamp((m - 1.0) * 0.5, 0.0, 0.8));
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    result = vec4(c + (noise - 0.5) / 255.0, 1.0);
  });

// clang-format on

#endif
