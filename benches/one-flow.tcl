# One SACK flow for 100 s over 10 Mb/s and 80 ms with 1 % random loss, for ns-2.
set ns [new Simulator]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 10Mb 40ms DropTail
$ns queue-limit $a $b 100
set em [new ErrorModel]
$em unit pkt
$em set rate_ 0.01
$em ranvar [new RandomVariable/Uniform]
$em drop-target [new Agent/Null]
$ns lossmodel $em $a $b
set tcp [new Agent/TCP/Sack1]
$tcp set packetSize_ 1460
$tcp set window_ 10000
set sink [new Agent/TCPSink/Sack1/DelAck]
$ns attach-agent $a $tcp
$ns attach-agent $b $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.0 "$ftp start"
$ns at 100.0 "puts \"ack [$tcp set ack_]\"; exit 0"
$ns run
