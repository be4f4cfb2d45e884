/* CUBIC as crates/congestion/src/cubic.rs has it: the same operations in the same order. Times are
 * whole nanoseconds, windows whole bytes or segments, as there. */
#include "airtcp_law.h"

#include <string.h>

#define NONE NAN
#define MS 1000000ll
#define SECOND 1000000000ll

enum { C, BETA, FAST, FRIENDLY, HYSTART }; /* keys */

/* The law's memory, which lies in user[]. Numbers without a value are NAN, times below 0. */
typedef struct {
  double w_max, cwnd_prior, w_est, k, origin, start;
} growth;
typedef struct {
  growth g, saved;
  double has_saved, last;
  /* By Linux's rules. */
  double w_max, start, k, origin, acked, w_tcp, count, found_w, found_at, d_min, credit;
  double found, round_end, round_start, last_ack, least, samples;
} memory;
_Static_assert(sizeof(memory) <= sizeof(((airtcp_state *)0)->user), "too large");

static int64_t ns(double seconds) { return (int64_t)(seconds * 1e9 + 0.5); }
static double rounded(double x) { return (double)(int64_t)x + (x - (double)(int64_t)x >= 0.5); }
static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }
static int rules(const airtcp_state *s) { return (s->options & AIRTCP_LINUX_RULES) != 0; }

static void curve(const airtcp_state *s, double from, double to, double *k, double *origin) {
  *k = to > from ? s->host->cbrt((to - from) / s->key[C]) : 0.0;
  *origin = to > from ? to : from;
}
static double rise(const airtcp_state *s, double k, int64_t t) {
  double d = (double)t / 1e9 - k;
  return s->key[C] * d * d * d;
}

static const growth NO_GROWTH = {NONE, NONE, 0, 0, 0, -1};

static void linux_reset(memory *m) {
  m->w_max = m->credit = m->found = m->round_end = m->round_start = m->last_ack = m->samples = 0;
  m->start = -1;
  m->d_min = m->least = NONE;
}

static void start(airtcp_state *s) {
  memory *m = (memory *)s->user;
  m->g = NO_GROWTH;
  m->has_saved = 0;
  m->last = (double)ns(s->now);
  linux_reset(m);
}

static double loss_base(const airtcp_state *s, const airtcp_congestion *c) {
  return (s->options & AIRTCP_HALF_OF_CWND) != 0 ? s->cwnd : least(c->flight, s->cwnd);
}

static void avoid_by_document(airtcp_state *s, const airtcp_ack *a, memory *m) {
  int64_t now = ns(s->now);
  double cwnd = s->cwnd / s->mss, beta = s->key[BETA];
  growth *g = &m->g;
  if (g->start < 0) {
    if (isnan(g->w_max)) g->w_max = cwnd;
    if (isnan(g->cwnd_prior)) g->cwnd_prior = cwnd;
    g->start = (double)now;
    g->w_est = cwnd;
    curve(s, cwnd, g->w_max, &g->k, &g->origin);
  }
  int64_t t = now - (int64_t)g->start;
  double alpha = g->w_est >= g->cwnd_prior ? 1.0 : 3.0 * (1.0 - beta) / (1.0 + beta);
  g->w_est += alpha * (a->acked / s->mss) / cwnd;
  if (s->key[FRIENDLY] != 0 && rise(s, g->k, t) + g->origin < g->w_est) {
    s->cwnd = most(s->cwnd, (double)(uint64_t)(g->w_est * s->mss));
  } else {
    int64_t srtt = isnan(a->srtt) ? 0 : ns(a->srtt);
    double target = rise(s, g->k, t + srtt) + g->origin;
    target = least(most(target, cwnd), 1.5 * cwnd);
    s->host->grow(s, (target - cwnd) / cwnd * a->acked);
  }
}

static void skip_time(airtcp_state *s, memory *m) {
  double now = (double)ns(s->now);
  if (m->g.start >= 0) m->g.start += now - m->last;
  m->last = now;
}

static double linux_window(const airtcp_state *s) {
  return most((double)((uint64_t)s->cwnd / (uint64_t)s->mss), 1);
}

static void linux_on_rtt(airtcp_state *s, const airtcp_ack *a, memory *m, int64_t now) {
  int64_t rtt = ns(a->rtt);
  if (m->start >= 0 && now - (int64_t)m->start < SECOND) return;
  int64_t d_min = isnan(m->d_min) || rtt < (int64_t)m->d_min ? rtt : (int64_t)m->d_min;
  m->d_min = (double)d_min;
  if (s->key[HYSTART] == 0 || m->found != 0 || s->cwnd >= s->ssthresh) return;
  int64_t in_time = isnan(a->srtt) ? 0 : 4 * 65536 * ns(a->srtt) / (2 * (int64_t)s->cwnd);
  int64_t train = (d_min + (in_time < MS ? in_time : MS)) / 2;
  if (a->acked_up_to > m->round_end) {
    m->found = m->samples = 0;
    m->round_end = a->sent_up_to;
    m->round_start = m->last_ack = (double)now;
    m->least = NONE;
  }
  if (linux_window(s) < 16) return;
  if (now - (int64_t)m->last_ack <= 2 * MS) {
    m->last_ack = (double)now;
    m->found = now - (int64_t)m->round_start > train;
  }
  m->least = isnan(m->least) ? (double)rtt : least(m->least, (double)rtt);
  if (m->samples < 8) {
    m->samples += 1;
  } else {
    int64_t up = d_min / 8;
    up = up < 4 * MS ? 4 * MS : up;
    up = up > 16 * MS ? 16 * MS : up;
    if ((int64_t)m->least > d_min + up) m->found = 1;
  }
  if (m->found != 0) s->ssthresh = s->cwnd;
}

static uint64_t linux_count(airtcp_state *s, memory *m, int64_t now, uint64_t acked) {
  uint64_t cwnd = (uint64_t)linux_window(s);
  if (m->start < 0) {
    m->start = m->found_at = (double)now;
    m->acked = m->count = m->found_w = 0;
    m->w_tcp = (double)cwnd;
    curve(s, (double)cwnd, m->w_max, &m->k, &m->origin);
  }
  m->acked += (double)acked;
  if (m->found_w == (double)cwnd && now - (int64_t)m->found_at <= SECOND / 32) return (uint64_t)m->count;
  m->found_w = (double)cwnd;
  m->found_at = (double)now;
  int64_t t = now - (int64_t)m->start + (isnan(m->d_min) ? 0 : (int64_t)m->d_min);
  double distance = (double)(int64_t)rise(s, m->k, t);
  uint64_t target = (uint64_t)least(most(m->origin + distance, 0), (double)(1ull << 40));
  uint64_t count = target > cwnd ? cwnd / (target - cwnd) : 100 * cwnd;
  if (m->w_max == 0 && count > 20) count = 20;
  if (s->key[FRIENDLY] != 0) {
    uint64_t beta = (uint64_t)rounded(s->key[BETA] * 1024), rest = 1024 - beta;
    uint64_t eighths = 8 * (1024 + beta) / 3 / (rest > 1 ? rest : 1);
    uint64_t each = (cwnd * eighths) >> 3, had = (uint64_t)m->acked;
    each = each > 1 ? each : 1;
    uint64_t grown = (had > 0 ? had - 1 : 0) / each;
    m->acked = (double)(had - grown * each);
    m->w_tcp += (double)grown;
    uint64_t w_tcp = (uint64_t)m->w_tcp;
    if (w_tcp > cwnd && cwnd / (w_tcp - cwnd) < count) count = cwnd / (w_tcp - cwnd);
  }
  if (count < 2) count = 2;
  m->count = (double)count;
  return count;
}

static void linux_on_ack(airtcp_state *s, const airtcp_ack *a, memory *m) {
  int64_t now = ns(s->now);
  if (!isnan(a->rtt)) linux_on_rtt(s, a, m, now);
  if (a->acked == 0 || s->host->recovering(s, a) || s->host->slow_start(s, a)) return;
  if ((a->flags & AIRTCP_LIMITED) == 0 || (a->flags & AIRTCP_ECE) != 0) return;
  uint64_t mss = (uint64_t)s->mss, fresh = (uint64_t)least(a->acked, most(a->delivered, s->mss));
  uint64_t acked = (fresh + mss - 1) / mss, count = linux_count(s, m, now, acked);
  uint64_t grown = 0, credit = (uint64_t)m->credit;
  if (credit >= count) {
    credit = 0;
    grown = 1;
  }
  credit += acked;
  grown += credit / count;
  m->credit = (double)(credit % count);
  s->cwnd += (double)(grown * mss);
}

static void on_ack(airtcp_state *s, const airtcp_ack *a) {
  memory *m = (memory *)s->user;
  if (rules(s)) {
    linux_on_ack(s, a, m);
  } else if (a->acked != 0 && (a->flags & AIRTCP_FAST_RECOVERY) == 0 && !s->host->slow_start(s, a)) {
    if ((a->flags & AIRTCP_LIMITED) == 0) {
      skip_time(s, m);
      return;
    }
    m->last = (double)ns(s->now);
    if ((a->flags & AIRTCP_ECE) == 0) avoid_by_document(s, a, m);
  }
}

static void linux_on_congestion(airtcp_state *s, const airtcp_congestion *c, memory *m) {
  double cwnd = linux_window(s);
  uint64_t beta = (uint64_t)rounded(s->key[BETA] * 1024), mss = (uint64_t)s->mss;
  m->start = -1;
  int early = cwnd < m->w_max && s->key[FAST] != 0;
  m->w_max = early ? (double)((uint64_t)cwnd * (1024 + beta) / 2048) : cwnd;
  if (c->kind == AIRTCP_RTO || c->kind == AIRTCP_PERSISTENT) linux_reset(m);
  uint64_t base = (uint64_t)loss_base(s, c) / mss, left;
  left = (base > 1 ? base : 1) * beta / 1024;
  s->host->reduce(s, c, (double)((left > 2 ? left : 2) * mss));
}

static void on_congestion(airtcp_state *s, const airtcp_congestion *c) {
  memory *m = (memory *)s->user;
  if (rules(s)) {
    linux_on_congestion(s, c, m);
    return;
  }
  if (c->kind == AIRTCP_ECN) {
    m->has_saved = 0;
  } else if (c->kind != AIRTCP_PERSISTENT || m->has_saved == 0) {
    m->saved = m->g;
    m->has_saved = 1;
  }
  double beta = s->key[BETA], cwnd = s->cwnd / s->mss, w_max = m->g.w_max;
  m->g.start = -1;
  if (c->kind == AIRTCP_PERSISTENT) {
    m->g.w_max = NONE;
  } else {
    int early = w_max > cwnd && s->key[FAST] != 0;
    m->g = NO_GROWTH;
    m->g.cwnd_prior = cwnd;
    if (c->kind != AIRTCP_RTO) m->g.w_max = early ? cwnd * (1.0 + beta) / 2.0 : cwnd;
  }
  s->host->reduce(s, c, rounded(loss_base(s, c) * beta));
  if (c->kind == AIRTCP_ECN) s->ssthresh = most(s->ssthresh, 2 * s->mss);
}

static void on_spurious(airtcp_state *s) {
  memory *m = (memory *)s->user;
  if (rules(s)) {
    s->host->spurious(s);
    return;
  }
  if (m->has_saved == 0) return;
  m->has_saved = 0;
  if (!isnan(m->g.cwnd_prior) && s->cwnd / s->mss > most(m->g.cwnd_prior, 2.0)) return;
  s->host->spurious(s);
  m->g = m->saved;
}

static void on_idle(airtcp_state *s, const airtcp_idle *idle) {
  memory *m = (memory *)s->user;
  if (rules(s)) {
    if (m->start >= 0) m->start = least(m->start + (double)ns(idle->idle), (double)ns(s->now));
    s->host->idle(s, idle);
    return;
  }
  skip_time(s, m);
  if (s->host->idle(s, idle)) {
    m->has_saved = 0;
    m->g.start = -1;
  }
}

int airtcp_law_v1(airtcp_law *law) {
  law->name = "CubicC";
  law->about = "CUBIC in C";
  law->keys = "c=0.4 beta_cubic=0.7 fast_convergence=1 reno_friendly=1 hystart=1";
  law->on_ack = on_ack;
  law->on_congestion = on_congestion;
  law->on_spurious = on_spurious;
  law->on_idle = on_idle;
  law->start = start;
  return 0;
}
