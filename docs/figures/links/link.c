// A link in user space between two network namespaces, and a record of what it did to every packet.
// The kernel's TCP at both ends is real; the link between two TUN devices is known. `record.py` starts it.
//
//   cc -O2 -o link link.c -lm && ./link --a NS --b NS --rate Mb/s --delay ms --queue packets --log FILE
//
// A packet from A passes a policer, a queue, the server and the channel, and then travels for the delay.
// The way back has the same rate and delay, a queue of 10,000 packets, and loses ACKs only. Options:
//   --police Mb/s,bytes       token bucket without a queue
//   --codel ms,ms             CoDel (RFC 8289): target and interval     --fq   a queue for each flow, DRR
//   --pie ms                  PIE (RFC 8033): target                    --red min,max,probability  gentle RED
//   --shape Mb/s,bytes        token bucket with the queue before it; --rate is that of the line behind
//   --steps s:Mb/s,...        rate from a time on                       --cellular sigma,ms  its log is AR(1)
//   --freeze every,for,from   seconds in which the server stands still
//   --wifi frames,attempts    TXOPs with A-MPDUs, retries, ARF over 802.11a rates; --errors by rate
//   --loss p                  independent losses                        --ack-loss p
//   --bursts good,bad,p       two states, means in packets; --burst-ms: in milliseconds
//   --late p,ms               packets that travel longer, and are overtaken
//   --cross Mb/s,on,off       packets of 1500 bytes through the queue, seconds on and off (0: always on)
//   --port n                  log only connections to this port of B
//   --middle FILE             capture behind the server, half of the delay from each end
//   --tso                     the kernel sends super-segments; the link cuts them
// Without a server's model of collisions, of capture effects or of a second radio: `--wifi` has retries and
// rates, not a cell. Times of the log are seconds since 1970, lengths those of the IP packet, `queue` the
// packets that wait or are in service when a packet comes. At SIGTERM, a line of JSON says how late packets
// were handed over: a run in which they are late measures the machine. Needs root and /dev/net/tun.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <math.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;
typedef int64_t s64;
enum { FLOWS = 16, HEAP = 1 << 18, AIR = 64, RATES = 8, STEPS = 32, BACK = 10000, SNAP = 100, MTU = 1500 };
#define NEVER (~0ull)

typedef struct Packet {
  struct Packet *next;
  u64 entered;
  int dir, len, waiting, attempts, cross, state;
  uint8_t *data;
} Packet;
typedef struct {
  Packet *head, *tail;
  int packets, deficit;
  int dropping;                          // CoDel's variables
  u64 first_above, drop_next;
  unsigned count, last_count;
} Queue;
typedef struct { u64 due, order; int snap; Packet *packet; } Event;
typedef struct {
  Queue flows[FLOWS];
  int waiting, turn;                     // packets in all queues
  u64 free_at;
  Packet *served;
  Packet *air[AIR];                      // Wi-Fi: in the order of first attempts, not yet released
  int on_air, sent[AIR], sending;
} Direction;

static Direction ways[2];
static Event heap[HEAP];
static int events, fds[2], limit = 1000, fq, wifi, frames = 1, attempts_most = 7, burst_ms, tso;
static u64 order, random_state = 88172645463325252ull, began, wall, late_most, late_many, handed, next_cross = NEVER;
static u64 histogram[64];
static double rate = 10e6, delay_ms = 10, loss, ack_loss, police, police_burst, shape, shape_burst;
static double codel_target, codel_interval, pie_target, red_min, red_max, red_p;
static double step_at[STEPS], step_rate[STEPS], sigma, correlation_ms, freeze_every, freeze_for, freeze_from;
static double good, bad, bad_loss, late_share, late_ms, cross_rate, cross_on, cross_off;
static double arf[RATES] = {6e6, 9e6, 12e6, 18e6, 24e6, 36e6, 48e6, 54e6}, errors[RATES];
static double port;
static int steps, arf_rate = RATES - 1, successes, failures, window = 15, wifi_turn, wifi_way = -1;
static u64 wifi_free;
static FILE *record, *middle;
static volatile sig_atomic_t stopped;

static void die(const char *what) { perror(what); exit(1); }
static void stop(int signal) { (void)signal; stopped = 1; }
static u64 clock_ns(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return (u64)t.tv_sec * 1000000000ull + t.tv_nsec;
}
static u64 now(void) { return clock_ns(CLOCK_MONOTONIC); }
static double draw(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (random_state >> 11) * (1.0 / 9007199254740992.0);
}
static double normal(void) { return sqrt(-2 * log(1 - draw())) * cos(6.283185307179586 * draw()); }
static double seconds(u64 t) { return t > began ? (t - began) / 1e9 : 0; }

// --- the record -------------------------------------------------------------------------------------------
static int is_tcp(const Packet *p) { return !p->cross && p->len >= 40 && p->data[0] >> 4 == 4 && p->data[9] == 6; }
static int payload(const Packet *p) {
  int head = (p->data[0] & 15) * 4;
  return p->len - head - (p->data[head + 12] >> 4) * 4;
}
static void note(const Packet *p, const char *fate, u64 left) {
  if (!record || !is_tcp(p)) return;
  const uint8_t *ip = p->data, *tcp = ip + (ip[0] & 15) * 4;
  int far = p->dir ? tcp[0] << 8 | tcp[1] : tcp[2] << 8 | tcp[3];
  if (port && far != (int)port) return;
  fprintf(record, "%.6f,%d,%u,%u,%u,%d,%d,%d,%s,%.6f\n", (p->entered + wall) / 1e9, p->dir, ip[4] << 8 | ip[5],
          tcp[p->dir ? 2 : 0] << 8 | tcp[p->dir ? 3 : 1], ntohl(*(uint32_t *)(tcp + 4)), payload(p), p->len, p->waiting, fate,
          left ? (left + wall) / 1e9 : 0.0);
}
static void discard(Packet *p) { free(p->data); free(p); }
static void drop(Packet *p, const char *fate) { note(p, fate, 0); discard(p); }

// --- what is on the way -----------------------------------------------------------------------------------
static int before(const Event *a, const Event *b) { return a->due != b->due ? a->due < b->due : a->order < b->order; }
static void push(u64 due, int snap, Packet *p) {
  if (events == HEAP) { fprintf(stderr, "too many packets on the way\n"); exit(1); }
  Event e = {due, order++, snap, p};
  int i = events++;
  for (; i && before(&e, &heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = e;
}
static Event pop(void) {
  Event top = heap[0], e = heap[--events];
  int i = 0;
  for (int c; (c = 2 * i + 1) < events; i = c) {
    if (c + 1 < events && before(&heap[c + 1], &heap[c])) c++;
    if (!before(&heap[c], &e)) break;
    heap[i] = heap[c];
  }
  heap[i] = e;
  return top;
}
static void write_middle(const Packet *p, u64 t) {
  u64 at = t + wall;
  int kept = p->len < SNAP ? p->len : SNAP;
  uint32_t head[4] = {at / 1000000000ull, at % 1000000000ull / 1000, kept, p->len};
  fwrite(head, sizeof head, 1, middle);
  fwrite(p->data, kept, 1, middle);
}
static void travel(Packet *p, u64 t) {  // the packet has left the server at t, and the channel carries it
  u64 delay = delay_ms * 1e6;
  if (p->cross) { discard(p); return; }
  note(p, "ok", t);
  if (p->dir == 0 && late_share > 0 && is_tcp(p) && payload(p) > 0 && draw() < late_share) delay += late_ms * 1e6;
  if (middle) {
    Packet *copy = malloc(sizeof *copy);
    *copy = *p;
    copy->data = malloc(p->len);
    memcpy(copy->data, p->data, p->len);
    push(t + (u64)(delay_ms * 0.5e6), 1, copy);
  }
  push(t + delay, 0, p);
}
static int lost_in_burst(u64 t) {
  static int is_bad;
  static u64 until;
  if (burst_ms) {
    while (until <= t) {
      is_bad = until ? !is_bad : 0;
      until = (until ? until : t) + 1 + (u64)(-log(1 - draw()) * (is_bad ? bad : good) * 1e6);
    }
  } else is_bad = is_bad ? draw() >= 1 / bad : draw() < 1 / good;
  return is_bad && draw() < bad_loss;
}
static void leave(Packet *p, u64 t) {  // served, without Wi-Fi: the channel loses it or not
  if (p->dir == 0 && !p->cross && ((loss > 0 && draw() < loss) || (good > 0 && lost_in_burst(t)))) drop(p, "link");
  else if (p->dir == 1 && ack_loss > 0 && is_tcp(p) && draw() < ack_loss) drop(p, "link");
  else travel(p, t);
}

// --- queues -----------------------------------------------------------------------------------------------
static Packet *take_head(Direction *w, Queue *q) {
  Packet *p = q->head;
  if (!p) return 0;
  if (!(q->head = p->next)) q->tail = 0;
  q->packets--;
  w->waiting--;
  return p;
}
static int above_target(Queue *q, const Packet *p, u64 t) {
  if (!p || t - p->entered < (u64)(codel_target * 1e6) || q->packets < 1) { q->first_above = 0; return 0; }
  if (!q->first_above) { q->first_above = t + (u64)(codel_interval * 1e6); return 0; }
  return t >= q->first_above;
}
static u64 control_law(const Queue *q, u64 t) { return t + (u64)(codel_interval * 1e6 / sqrt(q->count)); }
static Packet *codel(Direction *w, Queue *q, u64 t) {
  Packet *p = take_head(w, q);
  int above = above_target(q, p, t);
  if (q->dropping) {
    if (!above) q->dropping = 0;
    while (q->dropping && t >= q->drop_next) {
      drop(p, "aqm");
      q->count++;
      p = take_head(w, q);
      if (!above_target(q, p, t)) q->dropping = 0;
      else q->drop_next = control_law(q, q->drop_next);
    }
  } else if (above) {
    drop(p, "aqm");
    p = take_head(w, q);
    above_target(q, p, t);
    q->dropping = 1;
    unsigned delta = q->count - q->last_count;
    q->count = delta > 1 && t - q->drop_next < 16 * (u64)(codel_interval * 1e6) ? delta : 1;
    q->drop_next = control_law(q, t);
    q->last_count = q->count;
  }
  return p;
}
static Packet *dequeue(Direction *w, u64 t) {
  int is_codel = codel_target > 0 && w == &ways[0];
  while (w->waiting) {
    Queue *q = &w->flows[w->turn];
    if (q->head && (!fq || q->deficit > 0)) {
      Packet *p = is_codel ? codel(w, q, t) : take_head(w, q);
      if (p) { q->deficit -= p->len; return p; }
      continue;
    }
    if (fq && q->head) q->deficit += MTU;
    if (!q->head) q->deficit = 0;
    w->turn = (w->turn + 1) % FLOWS;
  }
  return 0;
}
static double pie_p, pie_old;
static u64 pie_next, pie_burst = 150000000ull, pie_at;
static void pie_update(u64 t) {
  for (; pie_next <= t; pie_next += 15000000ull) {
    Packet *head = ways[0].flows[0].head;
    double wait = head && t > head->entered ? (t - head->entered) / 1e9 : 0, target = pie_target / 1e3;
    double change = 0.125 * (wait - target) + 1.25 * (wait - pie_old);
    double scale[6] = {2048, 512, 128, 32, 8, 2}, below[6] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    for (int i = 0; i < 6; i++) if (pie_p < below[i]) { change /= scale[i]; break; }
    if (pie_p >= 0.1 && change > 0.02) change = 0.02;
    pie_p += change;
    if (wait == 0 && pie_old == 0) pie_p *= 0.98;
    if (wait > 0.25) pie_p += 0.02;
    pie_p = fmin(1, fmax(0, pie_p));
    pie_burst = pie_burst > 15000000ull ? pie_burst - 15000000ull : 0;
    if (pie_p == 0 && wait < target / 2 && pie_old < target / 2) pie_burst = 150000000ull;
    pie_old = wait;
  }
}
static int pie_drops(u64 t) {
  if (!pie_at) pie_at = pie_next = t;
  pie_update(t);
  if (pie_burst > 0 || (pie_old < pie_target / 2e3 && pie_p < 0.2) || ways[0].waiting <= 2) return 0;
  return draw() < pie_p;
}
static int red_drops(u64 t) {
  static double average;
  static int since = -1;
  Direction *w = &ways[0];
  if (!w->waiting && !w->served && t > w->free_at) average *= pow(1 - 0.002, (t - w->free_at) / 1e9 * rate / (MTU * 8));
  average += 0.002 * (w->waiting - average);
  if (average < red_min) { since = -1; return 0; }
  if (average >= 2 * red_max) { since = 0; return 1; }
  since++;
  double p = average < red_max ? red_p * (average - red_min) / (red_max - red_min)
                               : red_p + (1 - red_p) * (average - red_max) / red_max;
  double spread = since * p < 1 ? p / (1 - since * p) : 1;
  if (draw() >= spread) return 0;
  since = 0;
  return 1;
}
static int policed(int len, u64 t) {
  static double tokens = -1;
  static u64 at;
  tokens = tokens < 0 ? police_burst : fmin(police_burst, tokens + (t - at) / 1e9 * police / 8);
  at = t;
  if (tokens < len) return 1;
  tokens -= len;
  return 0;
}
static void enter(Packet *p) {
  Direction *w = &ways[p->dir];
  u64 t = p->entered;
  p->waiting = w->waiting + (w->served != 0) + w->on_air;
  if (p->dir == 0 && police > 0 && !p->cross && policed(p->len, t)) { drop(p, "police"); return; }
  if (w->waiting >= (p->dir ? BACK : limit)) { drop(p, "queue"); return; }
  if (p->dir == 0 && ((pie_target > 0 && pie_drops(t)) || (red_max > 0 && red_drops(t)))) { drop(p, "aqm"); return; }
  const uint8_t *tcp = p->data + 20;
  Queue *q = &w->flows[!fq || p->dir ? 0 : p->cross ? 0 : 1 + (tcp[0] * 31 + tcp[1]) % (FLOWS - 1)];
  p->next = 0;
  if (q->tail) q->tail->next = p;
  else q->head = p;
  q->tail = p;
  q->packets++;
  w->waiting++;
}

// --- servers ----------------------------------------------------------------------------------------------
static double rate_at(u64 t, u64 *until) {  // bits per second of the forward server, and how long they hold
  double r = rate, s = seconds(t);
  *until = NEVER;
  for (int i = 0; i < steps; i++) {
    if (s >= step_at[i]) r = step_rate[i];
    else if (*until == NEVER) *until = began + (u64)(step_at[i] * 1e9);
  }
  if (sigma > 0) {
    static u64 slot, x_slot;
    static double x;
    static int begun;
    double keep = exp(-20 / correlation_ms);
    slot = (u64)(s / 0.02);
    if (!begun) { x = normal(); begun = 1; }
    for (; x_slot < slot; x_slot++) x = keep * x + sqrt(1 - keep * keep) * normal();
    r *= fmin(3, fmax(0.02, exp(sigma * x)));
    *until = began + (slot + 1) * 20000000ull + 1;
  }
  return r;
}
static u64 thawed(u64 t) {  // the first time from t on at which the server does not stand still
  double s = seconds(t) - freeze_from;
  if (freeze_every <= 0 || s < 0) return t;
  double phase = fmod(s, freeze_every);
  return phase < freeze_for ? t + (u64)((freeze_for - phase) * 1e9) + 1 : t;
}
static u64 shaped(u64 t, int len) {  // when the token bucket lets a packet go
  static double tokens = -1;
  static u64 at;
  if (tokens < 0) { tokens = shape_burst; at = t; }
  if (t > at) { tokens = fmin(shape_burst, tokens + (t - at) / 1e9 * shape / 8); at = t; }
  if (tokens < len) {
    at += (u64)((len - tokens) * 8e9 / shape) + 1;
    tokens = len;
  }
  tokens -= len;
  return at;
}
static u64 sent_at(int dir, u64 t, int len) {
  t = thawed(t);
  if (dir) return t + (u64)(len * 8e9 / rate);
  if (shape > 0) t = shaped(t, len);
  for (double bits = len * 8.0;;) {
    u64 until;
    double r = rate_at(t, &until), need = bits / r * 1e9;
    if (until == NEVER || t + (u64)need <= until) return t + (u64)need;
    bits -= (until - t) / 1e9 * r;
    t = until;
  }
}
static Packet *first(Direction *w) {  // the packet that has waited longest
  Packet *found = 0;
  for (int i = 0; i < FLOWS; i++) {
    Packet *p = w->flows[i].head;
    if (p && (!found || p->entered < found->entered)) found = p;
  }
  return found;
}
static int serve(int dir, u64 t) {
  Direction *w = &ways[dir];
  if (w->served && w->free_at <= t) {
    Packet *p = w->served;
    w->served = 0;
    leave(p, w->free_at);
    return 1;
  }
  if (w->served || !w->waiting) return 0;
  u64 start = first(w)->entered > w->free_at ? first(w)->entered : w->free_at;
  if (!(w->served = dequeue(w, start))) return 0;
  w->free_at = sent_at(dir, start, w->served->len);
  return 1;
}
static void adapt(int failed) {  // automatic rate fallback and the contention window
  if (failed) {
    window = window < 512 ? 2 * window + 1 : 1023;
    successes = 0;
    if (++failures >= 2 && arf_rate > 0) { arf_rate--; failures = 0; }
  } else {
    window = 15;
    failures = 0;
    if (++successes >= 10 && arf_rate < RATES - 1) { arf_rate++; successes = 0; }
  }
}
static void end_txop(Direction *w) {
  int failed = 0;
  for (int i = 0; i < w->sending; i++) {
    Packet *p = w->air[w->sent[i]];
    if (draw() >= fmax(errors[arf_rate], loss)) p->state = 1;
    else { failed = 1; if (p->attempts >= attempts_most) p->state = 2; }
  }
  int kept = 0, held = 0;
  for (int i = 0; i < w->on_air; i++) {  // in order: what waits for a retry holds back what came later
    Packet *p = w->air[i];
    held |= !p->state;
    if (held) w->air[kept++] = p;
    else if (p->state == 1) travel(p, wifi_free);
    else drop(p, "link");
  }
  w->on_air = kept;
  w->sending = 0;
  adapt(failed);
}
static int serve_wifi(u64 t) {
  if (wifi_way >= 0) {
    if (wifi_free > t) return 0;
    end_txop(&ways[wifi_way]);
    wifi_way = -1;
    return 1;
  }
  for (int k = 0; k < 2; k++) {
    int dir = (wifi_turn + k) % 2, bits = 0;
    Direction *w = &ways[dir];
    if (!w->on_air && !w->waiting) continue;
    u64 start = wifi_free;
    if (!w->on_air && first(w)->entered > start) start = first(w)->entered;
    for (int i = 0; i < w->on_air && w->sending < frames; i++)
      if (!w->air[i]->state) w->sent[w->sending++] = i;
    while (w->sending < frames && w->on_air < AIR && w->waiting) {
      Packet *p = dequeue(w, start);
      if (!p) break;
      w->sent[w->sending++] = w->on_air;
      w->air[w->on_air++] = p;
    }
    if (!w->sending) continue;
    for (int i = 0; i < w->sending; i++) {
      w->air[w->sent[i]]->attempts++;
      bits += (w->air[w->sent[i]]->len + 38) * 8;
    }
    double phy = arf[arf_rate] * (frames > 1 ? rate / 54e6 : 1);  // with aggregates, --rate is the highest
    double us = 34 + 9 * (int)(draw() * (window + 1)) + 20 + bits / phy * 1e6 + 16 + (frames > 1 ? 32 : 28);
    wifi_free = start + (u64)(us * 1e3);
    wifi_way = dir;
    wifi_turn = 1 - dir;
    return 1;
  }
  return 0;
}

// --- devices ----------------------------------------------------------------------------------------------
static int device(const char *name, const char *address) {
  char path[200];
  snprintf(path, sizeof path, "/var/run/netns/%s", name);
  int there = open(path, O_RDONLY), here = open("/proc/self/ns/net", O_RDONLY);
  if (there < 0 || setns(there, CLONE_NEWNET)) die(path);
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK), s = socket(AF_INET, SOCK_DGRAM, 0);
  struct ifreq r = {.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR};
  strcpy(r.ifr_name, "tun0");
  if (fd < 0 || ioctl(fd, TUNSETIFF, &r)) die("/dev/net/tun");
  if (ioctl(fd, TUNSETOFFLOAD, tso ? TUN_F_CSUM | TUN_F_TSO4 : 0)) die("offloads");
  struct sockaddr_in *a = (struct sockaddr_in *)&r.ifr_addr;
  *a = (struct sockaddr_in){.sin_family = AF_INET};
  inet_pton(AF_INET, address, &a->sin_addr);
  if (ioctl(s, SIOCSIFADDR, &r)) die("address");
  inet_pton(AF_INET, "255.255.255.0", &a->sin_addr);
  if (ioctl(s, SIOCSIFNETMASK, &r)) die("netmask");
  r.ifr_qlen = 10000;
  if (ioctl(s, SIOCSIFTXQLEN, &r)) die("length of the device's queue");
  r.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(s, SIOCSIFFLAGS, &r)) die("up");
  close(s);
  if (setns(here, CLONE_NEWNET)) die("namespace");
  close(there), close(here);
  return fd;
}
static void checksum(uint8_t *ip) {
  unsigned sum = 0;
  ip[10] = ip[11] = 0;
  for (int i = 0; i < (ip[0] & 15) * 4; i += 2) sum += ip[i] << 8 | ip[i + 1];
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  ip[10] = ~sum >> 8, ip[11] = ~sum;
}
static void bring(int dir, const uint8_t *data, int len, u64 t) {
  Packet *p = calloc(1, sizeof *p);
  p->entered = t, p->dir = dir, p->len = len, p->data = malloc(len);
  memcpy(p->data, data, len);
  enter(p);
}
static void cut(int dir, const uint8_t *data, int len, int size, u64 t) {  // a super-segment, as a NIC cuts it
  int head = (data[0] & 15) * 4, heads = head + (data[head + 12] >> 4) * 4, id = data[4] << 8 | data[5];
  uint32_t sequence = ntohl(*(uint32_t *)(data + head + 4));
  for (int from = heads; from < len; from += size, id++) {
    uint8_t one[2048];
    int part = len - from < size ? len - from : size, whole = heads + part;
    memcpy(one, data, heads);
    memcpy(one + heads, data + from, part);
    one[2] = whole >> 8, one[3] = whole, one[4] = id >> 8, one[5] = id;
    *(uint32_t *)(one + head + 4) = htonl(sequence + (from - heads));
    if (from + part < len) one[head + 13] &= ~9;  // FIN and PSH stand on the last one
    checksum(one);
    bring(dir, one, whole, t);
  }
}
static void take(int dir) {
  static uint8_t buffer[70000];
  int head = sizeof(struct virtio_net_hdr);
  for (ssize_t n; (n = read(fds[dir], buffer, sizeof buffer)) > head;) {
    struct virtio_net_hdr *v = (void *)buffer;
    const uint8_t *ip = buffer + head;
    if (ip[0] >> 4 != 4) continue;
    if (v->gso_type != VIRTIO_NET_HDR_GSO_NONE) cut(dir, ip, n - head, v->gso_size, now());
    else bring(dir, ip, n - head, now());
  }
}
static void hand_over(void) {
  for (u64 t; events && heap[0].due <= (t = now());) {
    Event e = pop();
    Packet *p = e.packet;
    if (e.snap) write_middle(p, e.due);
    else {
      static uint8_t buffer[4096];
      struct virtio_net_hdr *v = (void *)buffer;
      *v = (struct virtio_net_hdr){0};
      if (tso) {  // the checksum is left to hardware that is not there; the receiver takes it as right
        v->flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
        v->csum_start = (p->data[0] & 15) * 4, v->csum_offset = 16;
      }
      memcpy(buffer + sizeof *v, p->data, p->len);
      if (write(fds[1 - p->dir], buffer, sizeof *v + p->len) < 0) {}
      u64 late = t - e.due;
      int bin = 0;
      for (u64 us = late / 10000; us && bin < 63; us >>= 1) bin++;
      histogram[bin]++;
      if (late > late_most) late_most = late;
      late_many += late > 1000000;
      handed++;
    }
    discard(p);
  }
}
static void cross_traffic(u64 t) {
  for (; next_cross <= t; next_cross += (u64)(MTU * 8e9 / cross_rate)) {
    if (cross_off > 0 && fmod(seconds(next_cross), cross_on + cross_off) >= cross_on) continue;
    Packet *p = calloc(1, sizeof *p);
    p->entered = next_cross, p->len = MTU, p->cross = 1, p->data = calloc(1, 64);
    enter(p);
  }
}

// --- options ----------------------------------------------------------------------------------------------
static void numbers(const char *text, const char *name, int count, double **into) {
  char *end = (char *)text;
  for (int i = 0; i < count; i++) {
    char *from = end;
    *into[i] = strtod(from, &end);
    if (end == from || (i + 1 < count ? *end++ != ',' : *end)) {
      fprintf(stderr, "--%s %s: expected %d numbers, separated by commas\n", name, text, count);
      exit(2);
    }
  }
}
int main(int argc, char **argv) {
  const char *a = 0, *b = 0;
  double queue = limit, seed = 1, wifi_frames = 0, wifi_attempts = 7;
  struct { const char *name; double *into[3]; } values[] = {
      {"rate", {&rate}}, {"delay", {&delay_ms}}, {"queue", {&queue}}, {"seed", {&seed}}, {"loss", {&loss}},
      {"ack-loss", {&ack_loss}}, {"police", {&police, &police_burst}}, {"shape", {&shape, &shape_burst}},
      {"codel", {&codel_target, &codel_interval}}, {"pie", {&pie_target}}, {"red", {&red_min, &red_max, &red_p}},
      {"cellular", {&sigma, &correlation_ms}}, {"freeze", {&freeze_every, &freeze_for, &freeze_from}},
      {"bursts", {&good, &bad, &bad_loss}}, {"late", {&late_share, &late_ms}},
      {"cross", {&cross_rate, &cross_on, &cross_off}}, {"wifi", {&wifi_frames, &wifi_attempts}},
      {"port", {&port}}};
  enum { VALUES = sizeof values / sizeof *values };
  struct option options[VALUES + 10] = {{"a", 1, 0, 'a'}, {"b", 1, 0, 'b'}, {"log", 1, 0, 'l'}, {"middle", 1, 0, 'm'},
                                        {"fq", 0, 0, 'f'}, {"burst-ms", 0, 0, 'i'}, {"tso", 0, 0, 't'},
                                        {"steps", 1, 0, 's'}, {"errors", 1, 0, 'e'}};
  for (int i = 0; i < VALUES; i++) options[9 + i] = (struct option){values[i].name, 1, 0, 1000 + i};
  for (int c; (c = getopt_long(argc, argv, "", options, 0)) != -1;) switch (c) {
      case 'a': a = optarg; break;
      case 'b': b = optarg; break;
      case 'l': if (!(record = fopen(optarg, "w"))) die(optarg); break;
      case 'm': if (!(middle = fopen(optarg, "w"))) die(optarg); break;
      case 'f': fq = 1; break;
      case 'i': burst_ms = 1; break;
      case 't': tso = 1; break;
      case 's':
        for (char *w = strtok(optarg, ","); w && steps < STEPS; w = strtok(0, ","), steps++) {
          if (sscanf(w, "%lf:%lf", &step_at[steps], &step_rate[steps]) != 2) die("--steps");
          step_rate[steps] *= 1e6;
        }
        break;
      case 'e':
        numbers(optarg, "errors", RATES, (double *[]){errors, errors + 1, errors + 2, errors + 3, errors + 4, errors + 5,
                                                      errors + 6, errors + 7});
        break;
      default: {
        if (c < 1000) return 2;
        int count = 0;
        while (count < 3 && values[c - 1000].into[count]) count++;
        numbers(optarg, values[c - 1000].name, count, values[c - 1000].into);
      }
    }
  if (!a || !b) { fprintf(stderr, "--a and --b name the namespaces\n"); return 2; }
  limit = queue, wifi = wifi_frames > 0, frames = wifi_frames, attempts_most = wifi_attempts;
  if (wifi && (frames < 1 || frames > AIR)) { fprintf(stderr, "--wifi: expected 1 to %d frames\n", AIR); return 2; }
  rate *= 1e6, police *= 1e6, shape *= 1e6, cross_rate *= 1e6;
  random_state = random_state * 2862933555777941757ull + (u64)seed * 7919 + 3;
  for (int i = 0; i < 100; i++) draw();
  fds[0] = device(a, "10.77.0.1");
  fds[1] = device(b, "10.77.0.2");
  // The record stays in memory until the end: a write to a file may block for milliseconds.
  if (record) setvbuf(record, 0, _IOFBF, 1 << 26);
  if (middle) setvbuf(middle, 0, _IOFBF, 1 << 26);
  if (record) fprintf(record, "entered_s,direction,id,port,sequence,payload,length,queue,fate,left_s\n");
  if (middle) fwrite((uint32_t[6]){0xa1b2c3d4, 0x00040002, 0, 0, SNAP, 101}, 24, 1, middle);
  mlockall(MCL_CURRENT | MCL_FUTURE);
  struct sched_param priority = {.sched_priority = 50};
  if (sched_setscheduler(0, SCHED_FIFO, &priority)) die("real-time priority");
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGTERM, &action, 0), sigaction(SIGINT, &action, 0);
  began = now();
  wall = clock_ns(CLOCK_REALTIME) - began;
  if (cross_rate > 0) next_cross = began;
  puts("ready");
  fflush(stdout);
  while (!stopped) {
    take(0), take(1);
    u64 t = now();
    cross_traffic(t);
    if (wifi) while (serve_wifi(t)) {}
    else for (int d = 0; d < 2; d++) while (serve(d, t)) {}
    hand_over();
    u64 next = now() + 50000000ull;
    if (next_cross < next) next = next_cross;
    if (events && heap[0].due < next) next = heap[0].due;
    if (wifi_way >= 0 && wifi_free < next) next = wifi_free;
    for (int d = 0; d < 2; d++) if (ways[d].served && ways[d].free_at < next) next = ways[d].free_at;
    s64 wait = (s64)(next - now());
    if (wait > 0) {
      struct timespec time = {wait / 1000000000, wait % 1000000000};
      struct pollfd both[2] = {{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}};
      ppoll(both, 2, &time, 0);
    }
  }
  u64 sum = 0;
  int bin = 0;
  while (bin < 63 && (sum += histogram[bin]) < 0.999 * handed) bin++;
  printf("{\"handed_over\": %llu, \"late_most_ms\": %.3f, \"late_1ms_share\": %.6f, \"late_999_ms\": %.3f}\n",
         (unsigned long long)handed, late_most / 1e6, handed ? (double)late_many / handed : 0.0, bin ? 0.01 * (1ull << bin) : 0.01);
  if (record) fclose(record);
  if (middle) fclose(middle);
  return 0;
}
