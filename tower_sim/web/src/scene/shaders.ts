// What the graphics processor runs. Colours are squared on the way in and rooted on the way out, near enough to how
// light adds up. TAPS is how many times the lamp's depth map is asked about a point; 0 casts no shadow. CUT is 1 where
// a plane cuts the shape open.

export const SHADER_HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
precision highp sampler2DShadow;
`;

/** The lamp, the sky and the section, for whatever has a surface. */
const LIGHT = `
uniform sampler2DShadow u_shadow;
uniform vec3 u_sun;
uniform vec3 u_eye;
uniform vec3 u_sky;
uniform vec3 u_under;
uniform float u_soft;
in vec3 v_world;
flat in vec3 v_normal;
in vec3 v_lamp;
#if TAPS == 0
float lamp() { return 0.8; }
#else
float shadowed() {
#if TAPS == 1
  return textureLod(u_shadow, v_lamp, 0.0);
#else
  float sum = 0.0;
  for (int i = 0; i < TAPS; i++) {
    float turn = 2.4 * float(i);
    float reach = u_soft * sqrt((float(i) + 0.5) / float(TAPS));
    sum += textureLod(u_shadow, v_lamp + vec3(reach * cos(turn), reach * sin(turn), 0.0), 0.0);
  }
  return sum / float(TAPS);
#endif
}
float lamp() {
  vec2 rim = abs(v_lamp.xy - 0.5);
  float beyond = smoothstep(0.4, 0.5, max(rim.x, rim.y));
  return beyond < 1.0 ? mix(shadowed(), 1.0, beyond) : 1.0;
}
#endif
vec3 lighted(vec3 colour, vec3 normal) {
  float sun = max(dot(normal, u_sun), 0.0);
  if (sun > 0.0) sun *= lamp();
#if TAPS > 1
  float facing = abs(dot(normal, normalize(u_eye - v_world)));
#else
  float facing = 0.6;
#endif
  vec3 light = mix(u_under, u_sky, 0.5 + 0.5 * normal.z) * (0.86 + 0.14 * facing) + vec3(0.66, 0.63, 0.57) * sun;
  return sqrt(colour * colour * light);
}
`;

const PLACED = `
uniform mat4 u_view;
uniform mat4 u_lampView;
uniform float u_bias;
out vec3 v_world;
flat out vec3 v_normal;
out vec3 v_lamp;
void place(vec3 world, vec3 normal) {
  v_world = world;
  v_normal = normal;
  v_lamp = (u_lampView * vec4(world + normal * u_bias, 1.0)).xyz * 0.5 + 0.5;
  gl_Position = u_view * vec4(world, 1.0);
}
`;

/** Of which strength a solid is drawn; one of the other kind (u_clear) is put where nobody sees it. */
const STRENGTH = `
uniform sampler2D u_strengths;
uniform float u_clear;
float strengthOf(float index) {
  int i = int(index + 0.5);
  return texelFetch(u_strengths, ivec2(i & 255, i >> 8), 0).r;
}
bool isOther(float strength) { return u_clear > 1.5 ? false : (strength < 0.999) != (u_clear > 0.5); }
`;

const SOLID_VERTEX = `${PLACED}${STRENGTH}
in vec3 a_at;
in vec3 a_normal;
in vec2 a_look;
uniform vec3 u_tones[11];
flat out vec3 v_tone;
flat out float v_look;
flat out float v_strength;
void main() {
  v_strength = strengthOf(a_look.y);
  v_tone = u_tones[int(a_look.x + 0.5)];
  v_look = a_look.x;
  place(a_at, a_normal);
  if (isOther(v_strength)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
`;

export const SOLID_FRAGMENT = `${LIGHT}
flat in vec3 v_tone;
flat in float v_look;
flat in float v_strength;
uniform vec4 u_plane;
out vec4 o_colour;
#if TAPS > 1
float hash(vec2 at) { return fract(sin(dot(at, vec2(12.9898, 78.233))) * 43758.5453); }
float noise(vec2 at) {
  vec2 cell = floor(at);
  vec2 part = smoothstep(0.0, 1.0, fract(at));
  float low = mix(hash(cell), hash(cell + vec2(1.0, 0.0)), part.x);
  float high = mix(hash(cell + vec2(0.0, 1.0)), hash(cell + vec2(1.0, 1.0)), part.x);
  return mix(low, high, part.y);
}
/** The grain of wood: fibres a millimetre wide and some centimetres long, upright on walls. Felt has short ones, plastic none. */
float grain() {
  if (v_look > 8.5) return 0.0;
  if (v_look > 7.5) return noise(v_world.xy * 2600.0) - 0.5;
  vec3 way = abs(v_normal);
  vec2 at = way.z > max(way.x, way.y) ? v_world.yx : way.x > way.y ? v_world.yz : v_world.xz;
  return 0.6 * noise(at * vec2(620.0, 26.0)) + 0.4 * noise(at * vec2(1700.0, 70.0)) - 0.5;
}
#else
float grain() { return 0.0; }
#endif
void main() {
#if CUT
  if (v_strength < 1.5 && dot(u_plane.xyz, v_world) > u_plane.w) discard;
#endif
  float strength = min(v_strength, 1.0);
  o_colour = vec4(lighted(v_tone * (1.0 + 0.22 * grain()), v_normal) * strength, strength);
}
`;

/** The faces that a plane cuts, hatched as in a drawing. */
const HATCH_FRAGMENT = `
uniform float u_pixel;
out vec4 o_colour;
void main() {
  float line = fract(dot(gl_FragCoord.xy, vec2(0.7071)) / (7.0 * u_pixel));
  o_colour = vec4(mix(vec3(0.36, 0.22, 0.16), vec3(0.86, 0.62, 0.42), smoothstep(0.25, 0.4, abs(line - 0.5))), 1.0);
}
`;

const CUBE_VERTEX = `${PLACED}
in vec3 a_at;
in vec3 a_normal;
in vec3 a_face;
out vec3 v_face;
void main() {
  v_face = a_face;
  place(a_at, a_normal);
}
`;

const CUBE_FRAGMENT = `${LIGHT}
in vec3 v_face;
uniform sampler2DArray u_faces;
out vec4 o_colour;
void main() { o_colour = vec4(lighted(texture(u_faces, v_face).rgb, v_normal), 1.0); }
`;

const GROUND_VERTEX = `${PLACED}
in vec2 a_at;
uniform vec3 u_middle;
uniform float u_reach;
void main() { place(vec3(u_middle.xy + a_at * u_reach, 0.0), vec3(0.0, 0.0, 1.0)); }
`;

const GROUND_FRAGMENT = `${LIGHT}
uniform vec3 u_middle;
uniform float u_reach;
uniform vec3 u_table;
uniform vec3 u_background;
uniform sampler2D u_contact;
uniform vec4 u_contactBox;
out vec4 o_colour;
void main() {
  float fade = smoothstep(0.3, 1.0, length(v_world.xy - u_middle.xy) / u_reach);
  vec2 at = (v_world.xy - u_contactBox.xy) / u_contactBox.zw;
  float contact = textureLod(u_contact, at, 0.0).r;
  float shadow = mix(1.0, lamp(), 0.3 * (1.0 - fade));
  vec3 colour = u_table * shadow * (1.0 - 0.5 * contact);
  o_colour = vec4(mix(colour, u_background, fade), 1.0);
}
`;

const ZONE_VERTEX = `${PLACED}
in vec3 a_at;
in float a_zone;
uniform vec4 u_box;
uniform float u_lit[32];
out vec2 v_print;
out float v_lit;
void main() {
  v_print = (a_at.xy - u_box.xy) / u_box.zw;
  v_lit = u_lit[int(a_zone + 0.5)];
  place(a_at, vec3(0.0, 0.0, 1.0));
}
`;

const ZONE_FRAGMENT = `${LIGHT}
in vec2 v_print;
in float v_lit;
uniform sampler2D u_print;
uniform vec3 u_glow;
out vec4 o_colour;
void main() {
  vec3 print = texture(u_print, v_print).rgb;
  vec3 colour = lighted(mix(print, print * u_glow, v_lit), vec3(0.0, 0.0, 1.0));
  o_colour = vec4(mix(colour, print * u_glow, 0.45 * v_lit), 1.0);
}
`;

/**
 * Edges are drawn as strips of a width in pixels, a little nearer than what they are edges of. A corner is which end,
 * which side, and the index of the solid; `a_one` and `a_other` are the normals of the two faces. An edge behind its own
 * solid is not drawn, so that a clear wall shows no wires.
 */
export const EDGE_VERTEX = `${STRENGTH}
in vec3 a_from;
in vec3 a_to;
in vec3 a_corner;
in vec3 a_one;
in vec3 a_other;
uniform vec3 u_eye;
uniform mat4 u_view;
uniform vec2 u_picture;
uniform float u_width;
uniform float u_most;
flat out float v_ink;
flat out float v_strength;
out vec3 v_world;
void main() {
  float strength = strengthOf(a_corner.z);
  v_strength = strength;
  v_ink = mix(0.5, 0.34, min(strength, 1.0));
  v_world = mix(a_from, a_to, a_corner.x);
  vec4 from = u_view * vec4(a_from, 1.0);
  vec4 to = u_view * vec4(a_to, 1.0);
  vec2 way = (to.xy / to.w - from.xy / from.w) * u_picture;
  vec2 side = vec2(-way.y, way.x) / max(length(way), 1e-6);
  gl_Position = mix(from, to, a_corner.x);
  gl_Position.xy += side * a_corner.y * u_width / u_picture * gl_Position.w;
  gl_Position.z -= 0.0006 * gl_Position.w;
  vec3 sight = u_eye - a_from;
  bool isBehind = dot(sight, a_one) < 0.0 && dot(sight, a_other) < 0.0;
  if (strength > u_most || isBehind) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
`;

const EDGE_FRAGMENT = `
flat in float v_ink;
flat in float v_strength;
in vec3 v_world;
uniform vec3 u_ink;
uniform vec4 u_plane;
out vec4 o_colour;
void main() {
#if CUT
  if (v_strength < 1.5 && dot(u_plane.xyz, v_world) > u_plane.w) discard;
#endif
  o_colour = vec4(u_ink * v_ink, v_ink);
}
`;

/** What the lamp sees: depth alone. */
const DEPTH_FRAGMENT = `
in vec3 v_world;
flat in float v_strength;
uniform vec4 u_plane;
void main() {
#if CUT
  if (v_strength < 1.5 && dot(u_plane.xyz, v_world) > u_plane.w) discard;
#endif
}
`;

const CUBE_DEPTH_FRAGMENT = "void main() {}";

export const SHADERS: Record<string, string[]> = {
  solid: [SOLID_VERTEX, SOLID_FRAGMENT],
  hatch: [SOLID_VERTEX, HATCH_FRAGMENT],
  cube: [CUBE_VERTEX, CUBE_FRAGMENT],
  ground: [GROUND_VERTEX, GROUND_FRAGMENT],
  zone: [ZONE_VERTEX, ZONE_FRAGMENT],
  edge: [EDGE_VERTEX, EDGE_FRAGMENT],
  solidDepth: [SOLID_VERTEX, DEPTH_FRAGMENT],
  cubeDepth: [CUBE_VERTEX, CUBE_DEPTH_FRAGMENT],
};
