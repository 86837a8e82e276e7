#version 330 core
// All shapes are boxes with rounded corners, drawn from the distance to the box: for a circle, width and height of the
// inner box are 0; for a line, its height is 0.
flat in vec4 v_box;
flat in vec4 v_cut;
flat in vec4 v_colour;
flat in float v_soft;
in vec3 v_p;
out vec4 result;
void main() {
  vec2 q = abs(v_p.xy) - v_box.xy;
  float d = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - v_box.z;
  d = v_box.w < 0.0 ? d : abs(d) - v_box.w;
  float cover = clamp(0.5 - d, 0.0, 1.0) * v_p.z;
  if (v_soft > 0.0) {
    float inside = clamp(-d / v_soft, 0.0, 1.0);
    cover = inside * inside * (3.0 - 2.0 * inside);
  }
  float start = dot(v_cut.xy, vec2(v_p.x + v_box.x, v_p.y));
  float end = dot(v_cut.zw, vec2(v_p.x - v_box.x, v_p.y));
  cover *= step(start, -0.01 * dot(v_cut.xy, v_cut.xy)) * step(end, 0.01 * dot(v_cut.zw, v_cut.zw));
  result = v_colour * cover;
}
