# Goodput of one endless transfer over a lossy link, in ns-2.
#
#   ns goodput.tcl TCP RTT_MS LOSS SEED SECONDS
#
# TCP is an ns-2 agent (Tahoe, Reno, Newreno, Sack1, Vegas) or, as linux:NAME, Linux's code in
# ns-2's TCP/Linux (cubic, bic, vegas, veno, westwood ...: those of Linux 2.6.16 to 2.6.22).
# Prints: name, round-trip time, loss probability, seed, goodput in bit/s, timeouts.

foreach {flavour rtt loss seed seconds} $argv break

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

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 11000
Agent/TCP set singledup_ 1
if {[string match linux:* $flavour]} {
  set tcp [new Agent/TCP/Linux]
  $tcp set timestamps_ true
  $tcp set window_ 11000
  $tcp set windowOption_ 8
  set sink [new Agent/TCPSink/Sack1]
  $sink set ts_echo_rfc1323_ true
  $ns at 0 "$tcp select_ca [string range $flavour 6 end]"
} else {
  set agent [expr {$flavour eq "Tahoe" ? "Agent/TCP" : "Agent/TCP/$flavour"}]
  set tcp [new $agent]
  set sink [new Agent/TCPSink[expr {$flavour eq "Sack1" ? "/Sack1" : ""}]]
}
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp

proc finish {} {
  global tcp flavour rtt loss seed seconds
  puts [format "%s,%s,%s,%s,%.0f,%s" $flavour $rtt $loss $seed \
    [expr {[$tcp set ack_] * 1460 * 8.0 / $seconds}] [$tcp set nrexmit_]]
  exit 0
}
$ns at 0.0 "$ftp start"
$ns at $seconds finish
$ns run
