#version 330 core
// Brightness of a light at a point: decreases with the distance, and is 0 outside the cone and in shadows. A texel of
// `shadows` has four values, for a direction and three adjacent ones: 1 / distance of the nearest edge, measured along the
// axis of the direction's face.
in vec2 v_p;
flat in vec4 v_cone;
flat in vec4 v_colour;
flat in vec3 v_more;
uniform sampler2D shadows;
out vec4 result;

const int FACE = 256;

// Returns how much light reaches p, 0 … 1: a weighted mean of four directions, for smooth edges. Points just behind an
// occluder are partly lit, which hides the steps that a slanted edge has in its row.
float unshadowed(vec2 p, int row) {
  vec2 far = abs(p);
  bool across = far.x >= far.y;
  float along = max(max(far.x, far.y), 1e-5);
  float face = across ? (p.x >= 0.0 ? 0.5 : 2.5) : (p.y >= 0.0 ? 1.5 : 3.5);
  float slope = across ? p.y / p.x : -p.x / p.y;
  float at = ((face + 0.5 * slope) * float(FACE) - 0.5) / v_more.y, first = floor(at), part = at - first;
  vec4 near = texelFetch(shadows, ivec2(int(first * v_more.y + 0.5) & (4 * FACE - 1), row), 0);
  vec4 passes = clamp(26.25 - near * (along * 25.0), 0.0, 1.0);
  return dot(passes, vec4(1.0 - part, 1.0, 1.0, part)) * (1.0 / 3.0);
}

void main() {
  float far = dot(v_p, v_p), light = max(1.0 - far, 0.0);
  light *= light / (1.0 + v_colour.a * far);
  light *= clamp((dot(v_p, v_cone.xy) * inversesqrt(max(far, 1e-6)) - v_cone.z) * v_cone.w, 0.0, 1.0);
  if (v_more.z >= 0.0)
    light *= unshadowed(v_p, int(v_more.z + 0.5));
  float most = max(v_colour.r, max(v_colour.g, v_colour.b));
  result = vec4(v_colour.rgb * light, v_more.x * most * light * light * 0.5);
}
