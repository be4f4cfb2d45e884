# Goodput of one endless transfer over a lossy link, in ns-2.
#
#   ns goodput.tcl FLAVOUR RTT_MS LOSS SEED SECONDS [LIMITED_TRANSMIT]
#
# FLAVOUR is Newreno or Sack1. Prints: flavour, round-trip time, loss probability, seed, goodput
# in bit/s, data packets sent, packets sent again, timeouts.
#
# What is set and why: docs/models/validation-ns2.md.

foreach {flavour rtt loss seed seconds} $argv break
set limited [expr {$argc > 5 ? [lindex $argv 5] : 1}]

set ns [new Simulator]
set sender [$ns node]
set receiver [$ns node]
$ns duplex-link $sender $receiver 10Mb [expr {$rtt / 2.0}]ms DropTail
$ns queue-limit $sender $receiver 100

# Losses behind the queue, so that a lost packet takes the transmitter's time.
if {$loss > 0} {
  set rng [new RNG]
  $rng seed [expr {1000 + $seed}]
  set uniform [new RandomVariable/Uniform]
  $uniform use-rng $rng
  set losses [new ErrorModel]
  $losses unit pkt
  $losses set rate_ $loss
  $losses ranvar $uniform
  $losses drop-target [new Agent/Null]
  $ns link-lossmodel $losses $sender $receiver
}

# 1460 bytes of payload and 40 of headers; ns-2 adds the headers itself.
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 11000
Agent/TCP set singledup_ $limited
set tcp [new Agent/TCP/$flavour]
set sink [new Agent/TCPSink[expr {$flavour eq "Sack1" ? "/Sack1" : ""}]]
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp

proc finish {} {
  global tcp flavour rtt loss seed seconds
  # Packet 0 is the SYN.
  puts [format "%s,%s,%s,%s,%.0f,%s,%s,%s" $flavour $rtt $loss $seed \
    [expr {[$tcp set ack_] * 1460 * 8.0 / $seconds}] \
    [$tcp set ndatapack_] [$tcp set nrexmitpack_] [$tcp set nrexmit_]]
  exit 0
}
$ns at 0.0 "$ftp start"
$ns at $seconds finish
$ns run
