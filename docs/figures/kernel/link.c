// The kernel's TCP over an emulated link, without anything but this program: two network namespaces
// of its own, a TUN device in each, and between them a bottleneck (rate, drop-tail queue,
// independent losses behind it, congestion marks from a queue length on) and a fixed delay.
// Prints a line of CSV per flow.
//
//   cc -O2 -o link link.c -lm && ./link --flows cubic,bbr --rate 10 --rtt 80 --loss 0.01 --queue 100
//       [--ack-loss 0.01] [--burst ms] [--rtts 20,80] [--mark 20] [--seconds 60] [--seed 1] [--stagger ms]
//       [--log file] [--info file] [--packets file] [--no-push]
//
// --ack-loss: what the way back loses. --burst: losses come in bursts of this mean length, in which the
// channel loses everything, exponential as the times between them. --rtts: a round trip for each flow.
// --info: what TCP_INFO says of the first flow every millisecond; --packets: what enters (S), what the
// queue (Q) and the channel (L) drop, what is marked (M), and the ACKs that arrive (A). `recovery.py` reads
// both, `push.py` the packets. --no-push: PSH is taken off data before the receiver sees it.
//
// Goodput counts from a flow's connect() to the end. `late_ms` is the latest that the emulator handed
// over a packet after its time, `late_share` the share that was more than 1 ms late: a run in
// which these are not small measures the machine. Needs root and /dev/net/tun.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/if_tun.h>
#include <linux/tcp.h>
#include <math.h>
#include <net/if.h>
#include <netinet/in.h>

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;
typedef int64_t s64;
enum { FLOWS = 32, MTU = 1500, RING = 1 << 16 };

typedef struct { u64 due; int len; uint8_t *data; } Packet;
typedef struct {  // a direction: packets wait for the link, then travel
  Packet wait[RING], way[RING];
  unsigned wait_head, wait_tail, way_head, way_tail;
  u64 free_at;  // when the link has sent what it began
} Direction;
typedef struct { volatile u64 received; volatile int done; struct tcp_info info; } Shared;

static double rate = 10e6, rtt_ms = 80, loss, ack_loss, burst_ms, seconds = 60, stagger_ms, rtts[FLOWS];
static int queue = 100, mark, no_push;
static u64 random_state = 88172645463325252ull, burst_ends, burst_begins;
static Direction directions[2];
static Shared *shared;
static u64 late_most, late_many, handed, dropped, lost, marked;
static FILE *trace, *info, *packets;

static void die(const char *what) { perror(what); _exit(1); }
static u64 now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (u64)t.tv_sec * 1000000000ull + t.tv_nsec;
}
static double draw(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (random_state >> 11) * (1.0 / 9007199254740992.0);
}
static void set(const char *path, const char *format, ...) {
  char text[200];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  int fd = open(path, O_WRONLY);
  if (fd < 0 || write(fd, text, n) != n) die(path);
  close(fd);
}

// A namespace with a device `tun` of this address; leaves the process in it.
static int end_of_link(const char *address) {
  if (unshare(CLONE_NEWNET)) die("unshare: run as root");
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK), s = socket(AF_INET, SOCK_DGRAM, 0);
  struct ifreq r = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  strcpy(r.ifr_name, "tun0");
  if (fd < 0 || ioctl(fd, TUNSETIFF, &r)) die("/dev/net/tun");
  struct sockaddr_in *a = (struct sockaddr_in *)&r.ifr_addr;
  *a = (struct sockaddr_in){.sin_family = AF_INET};
  inet_pton(AF_INET, address, &a->sin_addr);
  if (ioctl(s, SIOCSIFADDR, &r)) die("address");
  inet_pton(AF_INET, "255.255.255.0", &a->sin_addr);
  if (ioctl(s, SIOCSIFNETMASK, &r)) die("netmask");
  r.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(s, SIOCSIFFLAGS, &r)) die("up");
  close(s);
  // What a host has by default; the machine at hand may have something else.
  set("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456");
  set("/proc/sys/net/ipv4/tcp_wmem", "4096 16384 4194304");
  set("/proc/sys/net/ipv4/tcp_ecn", "%d", mark ? 1 : 0);
  set("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
  return fd;
}

static void receive(int flow, int listener) {
  static char buffer[1 << 16];
  int fd = accept(listener, 0, 0);
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) shared[flow].received += n;
  _exit(0);
}

static void transmit(int flow, const char *law, u64 start) {
  static char buffer[1 << 16];
  u64 at = start + (u64)(flow * stagger_ms * 1e6);
  while (now() < at) usleep(200);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, law, strlen(law))) die(law);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(5000 + flow)};
  inet_pton(AF_INET, "10.77.0.2", &to.sin_addr);
  if (connect(fd, (void *)&to, sizeof to)) die("connect");
  fcntl(fd, F_SETFL, O_NONBLOCK);
  while (!shared[flow].done) {
    struct pollfd p = {fd, POLLOUT, 0};
    if (info) usleep(1000);
    else poll(&p, 1, 50);
    while (write(fd, buffer, sizeof buffer) > 0) {}
    socklen_t n = sizeof shared[flow].info;
    struct tcp_info *i = &shared[flow].info;
    getsockopt(fd, IPPROTO_TCP, TCP_INFO, i, &n);
    if (info && flow == 0)
      fprintf(info, "%.6f,%d,%u,%u,%u,%u,%u,%u,%u,%llu\n", now() / 1e9, i->tcpi_ca_state, i->tcpi_snd_cwnd,
              i->tcpi_snd_ssthresh, i->tcpi_unacked, i->tcpi_sacked, i->tcpi_lost, i->tcpi_retrans,
              i->tcpi_delivered, (unsigned long long)i->tcpi_pacing_rate);
  }
  if (info) fflush(info);
  _exit(0);
}

// Congestion marks: from `mark` waiting packets on, on packets that allow it (RFC 1624 for the sum).
static int congestion_mark(uint8_t *ip) {
  if ((ip[0] >> 4) != 4 || (ip[1] & 3) == 0) return 0;
  unsigned before = ip[0] << 8 | ip[1];
  ip[1] |= 3;
  unsigned after = ip[0] << 8 | ip[1], sum = ~(ip[10] << 8 | ip[11]) & 0xffff;
  sum += (~before & 0xffff) + after;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = ~sum & 0xffff;
  ip[10] = sum >> 8, ip[11] = sum;
  return 1;
}

// The flag PSH taken off.
static void clear_push(uint8_t *ip) {
  uint8_t *tcp = ip + (ip[0] & 15) * 4;
  if (!(tcp[13] & 8)) return;
  tcp[13] &= ~8;
  unsigned sum = (~(tcp[16] << 8 | tcp[17]) & 0xffff) + (~8u & 0xffff);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = ~sum & 0xffff;
  tcp[16] = sum >> 8, tcp[17] = sum;
}

// A line about a TCP segment: what, when, source port, sequence, acknowledgement, payload, flags.
static void note(char what, uint8_t *ip, int len) {
  if (!packets) return;
  uint8_t *tcp = ip + (ip[0] & 15) * 4;
  unsigned port = tcp[0] << 8 | tcp[1], seq = ntohl(*(uint32_t *)(tcp + 4)), ack = ntohl(*(uint32_t *)(tcp + 8));
  int payload = len - (int)(tcp - ip) - (tcp[12] >> 4) * 4;
  fprintf(packets, "%c,%.6f,%u,%u,%u,%d,%d\n", what, now() / 1e9, port, seq, ack, payload, tcp[13]);
}

static void take(int fd, int d) {
  Direction *x = &directions[d];
  static uint8_t buffer[MTU + 100];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) {
    if ((buffer[0] >> 4) != 4) continue;
    u64 t = now();
    unsigned waiting = x->wait_tail - x->wait_head;
    if (d == 0) note('S', buffer, n);
    if (waiting >= (unsigned)queue) {
      dropped += d == 0;
      if (d == 0) note('Q', buffer, n);
      continue;
    }
    if (d == 0 && mark && waiting >= (unsigned)mark && congestion_mark(buffer)) {
      marked++;
      note('M', buffer, n);
    }
    if (d == 0 && no_push) clear_push(buffer);
    Packet p = {t, n, malloc(n)};
    memcpy(p.data, buffer, n);
    x->wait[x->wait_tail++ % RING] = p;
  }
}

// Whether the channel loses a packet that the link finished at `t`.
static int loses(int d, u64 t) {
  if (d == 1) return ack_loss > 0 && draw() < ack_loss;
  if (loss <= 0) return 0;
  if (burst_ms <= 0) return draw() < loss;
  while (t >= burst_ends) {
    burst_begins = burst_ends - (u64)(log(1 - draw()) * burst_ms * 1e6 * (1 - loss) / loss);
    burst_ends = burst_begins - (u64)(log(1 - draw()) * burst_ms * 1e6);
  }
  return t >= burst_begins;
}

// Half of the round trip of a packet's flow, in ns.
static u64 half(int d, uint8_t *ip) {
  uint8_t *tcp = ip + (ip[0] & 15) * 4;
  unsigned flow = (d == 0 ? tcp[2] << 8 | tcp[3] : tcp[0] << 8 | tcp[1]) - 5000;
  return (u64)((flow < FLOWS && rtts[flow] > 0 ? rtts[flow] : rtt_ms) * 0.5e6);
}

// What is due: from the queue to the link, from the link to the other end.
static void move(int fds[2], int d) {
  Direction *x = &directions[d];
  u64 t = now();
  while (x->wait_head != x->wait_tail) {
    Packet p = x->wait[x->wait_head % RING];
    u64 begin = x->free_at > p.due ? x->free_at : p.due;
    if (begin > t) break;
    x->wait_head++;
    x->free_at = begin + (u64)(p.len * 8e9 / rate);
    if (loses(d, x->free_at)) {
      lost++;
      if (d == 0) note('L', p.data, p.len);
      free(p.data);
      continue;
    }
    p.due = x->free_at + half(d, p.data);
    unsigned at = x->way_tail++;  // in the order in which they arrive: flows may have unlike delays
    for (; at != x->way_head && x->way[(at - 1) % RING].due > p.due; at--) x->way[at % RING] = x->way[(at - 1) % RING];
    x->way[at % RING] = p;
  }
  while (x->way_head != x->way_tail) {
    Packet p = x->way[x->way_head % RING];
    t = now();
    if (p.due > t) break;
    x->way_head++;
    if (d == 1) note('A', p.data, p.len);
    if (write(fds[1 - d], p.data, p.len) < 0) {}
    if (t - p.due > late_most) late_most = t - p.due;
    late_many += t - p.due > 1000000;
    handed++;
    if (trace) fprintf(trace, "%d,%.6f,%d,%u\n", d, t / 1e9, p.len, x->wait_tail - x->wait_head);
    free(p.data);
  }
}

static u64 next_due(int d) {
  Direction *x = &directions[d];
  u64 next = ~0ull;
  if (x->wait_head != x->wait_tail) {
    Packet *p = &x->wait[x->wait_head % RING];
    next = x->free_at > p->due ? x->free_at : p->due;
  }
  if (x->way_head != x->way_tail && x->way[x->way_head % RING].due < next)
    next = x->way[x->way_head % RING].due;
  return next;
}

static long counter(const char *name) {  // of the namespace's TcpExt
  char names[8192], values[8192];
  long found = -1;
  FILE *f = fopen("/proc/thread-self/net/netstat", "r");
  while (f && fgets(names, sizeof names, f) && fgets(values, sizeof values, f)) {
    char *a, *b, *n = strtok_r(names, " \n", &a), *v = strtok_r(values, " \n", &b);
    for (; n && v; n = strtok_r(0, " \n", &a), v = strtok_r(0, " \n", &b))
      if (!strcmp(n, name)) found = atol(v);
  }
  if (f) fclose(f);
  return found;
}

int main(int argc, char **argv) {
  char flows[400] = "cubic", *laws[FLOWS];
  int seed = 1, count = 0, c;
  static struct option options[] = {
      {"flows", 1, 0, 'f'}, {"rate", 1, 0, 'r'},    {"rtt", 1, 0, 't'},  {"loss", 1, 0, 'l'},
      {"queue", 1, 0, 'q'}, {"mark", 1, 0, 'm'},    {"seconds", 1, 0, 's'}, {"seed", 1, 0, 'x'},
      {"stagger", 1, 0, 'g'}, {"log", 1, 0, 'o'}, {"info", 1, 0, 'i'}, {"packets", 1, 0, 'p'},
      {"no-push", 0, 0, 'n'}, {"ack-loss", 1, 0, 'a'}, {"burst", 1, 0, 'b'}, {"rtts", 1, 0, 'T'}, {0}};
  while ((c = getopt_long(argc, argv, "", options, 0)) != -1) switch (c) {
      case 'f': snprintf(flows, sizeof flows, "%s", optarg); break;
      case 'r': rate = atof(optarg) * 1e6; break;
      case 't': rtt_ms = atof(optarg); break;
      case 'l': loss = atof(optarg); break;
      case 'q': queue = atoi(optarg); break;
      case 'm': mark = atoi(optarg); break;
      case 's': seconds = atof(optarg); break;
      case 'x': seed = atoi(optarg); break;
      case 'g': stagger_ms = atof(optarg); break;
      case 'i': info = fopen(optarg, "w"); break;
      case 'p': packets = fopen(optarg, "w"); break;
      case 'n': no_push = 1; break;
      case 'a': ack_loss = atof(optarg); break;
      case 'b': burst_ms = atof(optarg); break;
      case 'T': {
        int i = 0;
        for (char *w = strtok(optarg, ","); w && i < FLOWS; w = strtok(0, ",")) rtts[i++] = atof(w);
        break;
      }
      case 'o': trace = fopen(optarg, "w"); break;
      default: return 2;
    }
  random_state = random_state * 2862933555777941757ull + (u64)seed * 7919 + 3;
  for (int i = 0; i < 100; i++) draw();
  char text[400];
  strcpy(text, flows);
  for (char *w = strtok(text, ","); w && count < FLOWS; w = strtok(0, ",")) laws[count++] = w;
  shared = mmap(0, sizeof(Shared) * FLOWS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  int fds[2];
  pid_t children[2 * FLOWS];
  fds[1] = end_of_link("10.77.0.2");
  for (int i = 0; i < count; i++) {
    int s = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(5000 + i)};
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(s, (void *)&a, sizeof a) || listen(s, 4)) die("listen");
    if (!(children[count + i] = fork())) { prctl(PR_SET_PDEATHSIG, SIGKILL); receive(i, s); }
  }
  fds[0] = end_of_link("10.77.0.1");
  u64 start = now() + 50000000ull, end = start + (u64)(seconds * 1e9);
  for (int i = 0; i < count; i++)
    if (!(children[i] = fork())) { prctl(PR_SET_PDEATHSIG, SIGKILL); transmit(i, laws[i], start); }
  struct sched_param p = {.sched_priority = 10};
  if (sched_setscheduler(0, SCHED_FIFO, &p)) perror("no real-time priority");
  while (now() < end) {
    for (int d = 0; d < 2; d++) take(fds[d], d);
    for (int d = 0; d < 2; d++) move(fds, d);
    u64 next = end;
    for (int d = 0; d < 2; d++) if (next_due(d) < next) next = next_due(d);
    s64 wait = (s64)(next - now());
    if (wait > 0) {
      struct timespec t = {wait / 1000000000, wait % 1000000000};
      struct pollfd both[2] = {{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}};
      ppoll(both, 2, &t, 0);
    }
  }
  for (int i = 0; i < count; i++) shared[i].done = 1;
  usleep(100000);
  char *together = flows;  // a+b: no comma in a field
  for (char *c = together; *c; c++) if (*c == ',') *c = '+';
  for (int i = 0; i < count; i++)
    printf("%s,%s,%g,%g,%g,%g,%d,%d,%d,%g,%.0f,%u,%ld,%llu,%llu,%.3f,%.5f\n", together, laws[i], rtts[i] > 0 ? rtts[i] : rtt_ms, loss, ack_loss, burst_ms, queue, mark, seed,
           seconds, shared[i].received * 8 / (seconds - i * stagger_ms / 1e3), shared[i].info.tcpi_total_retrans,
           counter("TCPTimeouts"), (unsigned long long)dropped, (unsigned long long)marked, late_most / 1e6,
           handed ? (double)late_many / handed : 0);
  for (int i = 0; i < 2 * count; i++) kill(children[i], SIGKILL);
  if (trace) fclose(trace);
  if (packets) fclose(packets);
  return 0;
}
