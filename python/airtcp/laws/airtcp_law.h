/* A congestion law for airtcp. Generated from crates/laws: do not edit.
 *
 * A shared library exports airtcp_law_v1, which fills the table and returns 0:
 *
 *   cc -O2 -fPIC -shared -ffp-contract=off my_law.c -o my_law.so
 *   airtcp compare link.toml --tcp ./my_law.so,cubic
 *
 * Sizes are in bytes, times in seconds, rates in bits per second. NAN stands for none.
 * A law keeps no memory outside airtcp_state, and uses no clock and no random numbers but
 * those of airtcp_host. cbrt, exp, log and pow of airtcp_host have the same result on every
 * machine; those of the C library have not. */
#ifndef AIRTCP_LAW_H
#define AIRTCP_LAW_H

#include <math.h>
#include <stdint.h>

#define AIRTCP_ABI 1u

#define AIRTCP_LIMITED 1u /* the window limited sending; if not, it must not grow */
#define AIRTCP_FAST_RECOVERY 2u /* the recovery sets the window */
#define AIRTCP_ENDS_RECOVERY 4u /* the ACK ends a fast recovery */
#define AIRTCP_RECOVERY 8u /* the sender is still repairing losses */
#define AIRTCP_ECE 16u /* the ACK echoes a congestion mark; the window must not grow */
#define AIRTCP_APP_LIMITED 32u /* the sender ran out of data in the interval of the rate */
#define AIRTCP_FAST_RETRANSMIT 0u /* loss found by duplicate or selective ACKs */
#define AIRTCP_RTO 1u /* the retransmission timer expired */
#define AIRTCP_ECN 2u /* the receiver echoed a congestion mark */
#define AIRTCP_PERSISTENT 3u /* the timer expired again for the same data */
#define AIRTCP_RESTART 1u /* restart from the initial window if the pause is longer than rto */
#define AIRTCP_IDLE_APP_LIMITED 2u /* the application had nothing to send */
#define AIRTCP_LINUX_RULES 1u /* rules of Linux where they differ from the documents */
#define AIRTCP_HALF_OF_CWND 2u /* half of the window, not of FlightSize, is the threshold */
#define AIRTCP_PACED 4u /* segments are paced without the law's asking */
#define AIRTCP_GOVERNS_RECOVERY 1u /* the law sets the window in recovery itself */
#define AIRTCP_FOLLOWS_MODEL 2u /* a model of the path bounds the window */
#define AIRTCP_NEEDS_ECN 4u /* the law works only on a path that marks with ECN */
#define AIRTCP_UNBOUNDED 8u /* promise: a reaction may raise the window, as RFC 5681 read literally */

typedef struct airtcp_host airtcp_host;

/* What a law reads and writes, and its memory. The values up to `send_quantum` are read after each call. */
typedef struct {
  uint32_t abi; /* Version of the interface. */
  uint32_t size; /* Size of this structure. */
  double now; /* Time since the start of the run. */
  double cwnd; /* Congestion window. Written by the law: positive and finite, rounded down to bytes. */
  double ssthresh; /* Slow-start threshold; INFINITY for none. Written by the law. */
  double pacing_rate; /* Rate at which segments should leave; NAN if the window alone governs sending. Written by the law. */
  double bandwidth; /* The law's estimate of the rate of the path; NAN for none. Written by the law. */
  double send_quantum; /* Bytes that leave in one burst under pacing; NAN for none. Written by the law. */
  double mss; /* Largest payload of a segment. */
  double max_cwnd; /* Upper bound of the window; INFINITY for none. */
  double initial_window; /* Initial window. */
  double srtt; /* Smoothed round-trip time of the handshake; NAN for none. */
  uint64_t seed; /* Seed of the law's random numbers. */
  uint64_t options; /* Bits: AIRTCP_LINUX_RULES, AIRTCP_HALF_OF_CWND, AIRTCP_PACED. */
  double key[16]; /* Values of the keys, in the order of `keys`. */
  double user[64]; /* The law's own memory; zero at the start. */
  const airtcp_host *host; /* Functions that the law may call. */
  void *base; /* For these functions. */
} airtcp_state;

/* An acknowledgement, and the state of the sender after it. */
typedef struct {
  uint32_t size; /* Size of this structure. */
  uint32_t flags; /* Bits: AIRTCP_LIMITED and following. */
  double acked; /* Bytes newly acknowledged cumulatively; 0 for a duplicate. */
  double delivered; /* Bytes that the ACK is the first to acknowledge or SACK. */
  double lost; /* Bytes newly judged lost. */
  double pipe; /* Data in the network after this ACK. */
  double prior_pipe; /* Data in the network before this ACK. */
  double total_delivered; /* Bytes that the connection has delivered in total. */
  double total_lost; /* Bytes that the connection has judged lost in total. */
  double acked_up_to; /* Stream offset up to which everything is acknowledged. */
  double sent_up_to; /* Stream offset up to which data was sent. */
  double rtt; /* Round-trip time of the ACK, or NAN. */
  double srtt; /* Smoothed round-trip time, or NAN. */
  double min_rtt; /* Smallest round-trip time of the connection, or NAN. */
  double rate_bps; /* Delivery rate, or NAN. */
  double rate_delivered; /* Bytes delivered in the interval of the rate, or NAN. */
  double rate_interval; /* Length of that interval, or NAN. */
  double rate_prior_delivered; /* Bytes that the connection had delivered when it began, or NAN. */
  double rate_tx_in_flight; /* Data in the network just after the acknowledged segment left, or NAN. */
  double rate_lost; /* Bytes judged lost in the interval, or NAN. */
} airtcp_ack;

/* A congestion episode. */
typedef struct {
  uint32_t size; /* Size of this structure. */
  uint32_t kind; /* AIRTCP_FAST_RETRANSMIT, AIRTCP_RTO, AIRTCP_ECN or AIRTCP_PERSISTENT. */
  double flight; /* Outstanding data (FlightSize). */
  uint64_t restart; /* 1 if the window restarts at one segment (Tahoe). */
} airtcp_congestion;

/* A data segment that left. */
typedef struct {
  uint32_t size; /* Size of this structure. */
  uint32_t retransmission; /* 1 if it was sent before. */
  double bytes; /* Payload. */
  double pipe; /* Data in the network including the segment. */
} airtcp_sent;

/* A segment that was judged lost. */
typedef struct {
  uint32_t size; /* Size of this structure. */
  uint32_t app_limited; /* 1 if it left after the sender had run out of data. */
  double start; /* Stream offset of its first byte. */
  double bytes; /* Its sequence space. */
  double tx_in_flight; /* Data in the network just after it left. */
  double lost; /* Bytes judged lost since it left, itself included. */
  double total_delivered; /* Bytes that the connection has delivered in total. */
} airtcp_lost;

/* The end of a pause. */
typedef struct {
  uint32_t size; /* Size of this structure. */
  uint32_t flags; /* Bits: AIRTCP_RESTART, AIRTCP_IDLE_APP_LIMITED. */
  double idle; /* Time since the last data segment left. */
  double rto; /* Present retransmission timeout. */
} airtcp_idle;

/* Functions that a law may call: parts of the base, and mathematics. */
struct airtcp_host {
  uint32_t size; /* Size of this structure. */
  uint32_t reserved; /* Zero. */
  int (*slow_start)(airtcp_state *, const airtcp_ack *); /* Takes an ACK in slow start; 1 if the window is below the threshold. */
  int (*may_grow)(airtcp_state *, const airtcp_ack *); /* 1 if the window may grow on an ACK. */
  int (*recovering)(airtcp_state *, const airtcp_ack *); /* 1 if the recovery sets the window on an ACK. */
  void (*grow)(airtcp_state *, double); /* Raises the window, and carries fractions of a byte. */
  void (*additive)(airtcp_state *, const airtcp_ack *); /* Grows by a segment per round trip, as Reno. */
  void (*reduce)(airtcp_state *, const airtcp_congestion *, double); /* Reacts to an episode that leaves this window. */
  int (*spurious)(airtcp_state *); /* Reverts the last reaction; 1 if there was one. */
  int (*idle)(airtcp_state *, const airtcp_idle *); /* Restarts after a pause; 1 if it was long. */
  double (*random)(airtcp_state *); /* Uniform from 0 to below 1: the only random numbers that a law may use. */
  double (*cbrt)(double); /* Cube root, with the same result on every machine. */
  double (*exp)(double); /* Exponential. */
  double (*log)(double); /* Natural logarithm. */
  double (*pow)(double, double); /* Power. */
};

/* The table that a library fills. A function that is null is the base's. */
typedef struct {
  uint32_t abi; /* Version of the interface: AIRTCP_ABI. */
  uint32_t size; /* Size of this structure. */
  const char *name; /* Name of the law: letters, digits, - and _. */
  const char *about; /* What it does, in a line; or null. */
  const char *keys; /* Keys with their defaults, such as "a=1 b=0.5", at most 16; or null. */
  uint64_t flags; /* Bits: AIRTCP_GOVERNS_RECOVERY and following. */
  void (*start)(airtcp_state *); /* A connection begins; may be called again. */
  void (*avoid)(airtcp_state *, const airtcp_ack *); /* Grows the window above the threshold; called only when it may grow. */
  double (*reduced)(airtcp_state *, const airtcp_congestion *); /* The window after an episode. */
  void (*on_ack)(airtcp_state *, const airtcp_ack *); /* Replaces slow start and avoid. */
  void (*on_congestion)(airtcp_state *, const airtcp_congestion *); /* Replaces reduced. */
  void (*on_lost)(airtcp_state *, const airtcp_lost *); /* A segment was judged lost. */
  void (*on_sent)(airtcp_state *, const airtcp_sent *); /* A data segment left. */
  void (*on_idle)(airtcp_state *, const airtcp_idle *); /* Replaces the restart after a pause. */
  void (*on_spurious)(airtcp_state *); /* Replaces the undo of an unnecessary reaction. */
} airtcp_law;

/* The only exported function. The table comes with abi and size filled in, and the rest zero. */
#ifdef __cplusplus
extern "C"
#endif
int airtcp_law_v1(airtcp_law *law);

#endif
