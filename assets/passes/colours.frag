// Makes colours distinguishable for players with a colour vision deficiency: computes how they see the image (Machado,
// Oliveira and Fernandes 2009), and shifts the difference into channels that they see.
// kind: 1 protanopia, 2 deuteranopia, 3 tritanopia.
const mat3 SEEN[3] = mat3[3](
  mat3(0.152286, 0.114503, -0.003882, 1.052583, 0.786281, -0.048116, -0.204868, 0.099216, 1.051998),
  mat3(0.367322, 0.280085, -0.011820, 0.860646, 0.672501, 0.042940, -0.227968, 0.047413, 0.968881),
  mat3(1.255528, -0.078411, 0.004733, -0.076749, 0.930809, 0.691367, -0.178779, 0.147602, 0.303900));

void main() {
  vec4 colour = texture(image, at);
  vec3 linear = pow(max(colour.rgb, 0.0), vec3(2.2));
  vec3 lost = linear - SEEN[clamp(kind, 1, 3) - 1] * linear;
  vec3 shift = kind == 3 ? vec3(lost.r + 0.7 * lost.b, lost.g + 0.7 * lost.b, 0.0)
                         : vec3(0.0, 0.7 * lost.r + lost.g, 0.7 * lost.r + lost.b);
  result = vec4(pow(clamp(linear + shift, 0.0, 1.0), vec3(1.0 / 2.2)), colour.a);
}
