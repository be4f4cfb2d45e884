/* Reno as crates/congestion/src/reno.rs has it: the same operations in the same order. */
#include "airtcp_law.h"

enum { CREDIT };

static void start(airtcp_state *s) { s->user[CREDIT] = 0; }

static void avoid(airtcp_state *s, const airtcp_ack *a) {
  uint64_t mss = (uint64_t)s->mss, cwnd = (uint64_t)s->cwnd, credit = (uint64_t)s->user[CREDIT];
  if (s->key[0] != 0) { /* by acknowledged bytes */
    int rules = (s->options & AIRTCP_LINUX_RULES) != 0;
    credit += (uint64_t)(rules ? a->delivered : a->acked) * mss;
    if (credit >= cwnd * mss) {
      credit -= cwnd * mss;
      s->cwnd = (double)(cwnd + mss);
    }
  } else {
    credit += mss * mss;
    s->cwnd = (double)(cwnd + credit / cwnd);
    credit %= cwnd;
  }
  s->user[CREDIT] = (double)credit;
}

static double reduced(airtcp_state *s, const airtcp_congestion *c) {
  int whole = c->kind == AIRTCP_ECN || (s->options & AIRTCP_HALF_OF_CWND) != 0;
  uint64_t base = (uint64_t)(whole ? s->cwnd : c->flight);
  uint64_t unit = (s->options & AIRTCP_LINUX_RULES) != 0 ? (uint64_t)s->mss : 1;
  s->user[CREDIT] = 0;
  return (double)(base / unit / 2 * unit);
}

int airtcp_law_v1(airtcp_law *law) {
  law->name = "RenoC";
  law->about = "Reno in C";
  law->keys = "bytes=0";
  law->flags = AIRTCP_UNBOUNDED;
  law->start = start;
  law->avoid = avoid;
  law->reduced = reduced;
  return 0;
}
