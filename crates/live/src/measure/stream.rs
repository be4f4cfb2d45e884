//! One TCP connection that sends as fast as it can, and one that takes what comes. Each runs on a thread of its own.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use airtcp_os::{clock, tcp};
use airtcp_units::Narrow as _;

use super::load::LoadSample;
use super::plan::MS;

/// Time between two looks at a connection.
const LOOK_EVERY: i64 = 100 * MS;
/// Bytes of a write, and of a read.
const BLOCK: usize = 1 << 16;

/// Sends for so many nanoseconds, or until told to stop or the other end closes; `tell` gets what the connection is
/// like, each 100 ms and at the end. What has not left by then is dropped.
pub(super) fn send(
    stream: &mut TcpStream,
    lasts: i64,
    stop: &AtomicBool,
    mut tell: impl FnMut(LoadSample),
) {
    let block = block();
    let wait = Some(Duration::from_millis(20));
    if stream.set_nonblocking(false).is_err() || stream.set_write_timeout(wait).is_err() {
        return;
    }
    let _ = tcp::drop_unsent(&*stream);
    let begin = clock::now();
    let mut next = begin;
    loop {
        let now = clock::now();
        let over = now - begin >= lasts || stop.load(Ordering::Relaxed);
        if (now >= next || over)
            && let Ok(info) = tcp::info(&*stream)
        {
            next = now + LOOK_EVERY;
            tell(LoadSample { at: u64::narrow(now - begin), info });
        }
        if over {
            return;
        }
        match stream.write(&block) {
            Ok(_) => {}
            Err(e) if waits(e.kind()) => {}
            Err(_) => return,
        }
    }
}

/// Reads for so many nanoseconds, or until told to stop or the other end closes.
pub(super) fn receive(stream: &mut TcpStream, lasts: i64, stop: &AtomicBool) {
    let mut block = vec![0; BLOCK];
    let wait = Some(Duration::from_millis(100));
    if stream.set_nonblocking(false).is_err() || stream.set_read_timeout(wait).is_err() {
        return;
    }
    let begin = clock::now();
    while clock::now() - begin < lasts && !stop.load(Ordering::Relaxed) {
        match stream.read(&mut block) {
            Ok(0) => return,
            Ok(_) => {}
            Err(e) if waits(e.kind()) => {}
            Err(_) => return,
        }
    }
}

fn waits(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Bytes that a path cannot make shorter (xorshift64, Marsaglia 2003).
fn block() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut block = Vec::with_capacity(BLOCK);
    while block.len() < BLOCK {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        block.extend_from_slice(&state.to_le_bytes());
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_connection_sends_and_is_looked_at() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut other = listener.accept().unwrap().0;
        let stop = AtomicBool::new(false);
        let mut seen = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| receive(&mut other, 30_000 * MS, &stop));
            send(&mut one, 250 * MS, &stop, |sample| seen.push(sample));
            drop(one);
        });
        assert!(seen.len() >= 2, "{seen:?}");
        assert!(seen.is_sorted_by_key(|sample| (sample.at, sample.info.bytes_acked)));
        assert!(seen.last().is_some_and(|last| last.info.bytes_acked > 0));
    }

    #[test]
    fn a_connection_ends_when_it_is_told_to() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let other = listener.accept().unwrap().0;
        let stop = AtomicBool::new(true);
        // The other end reads nothing, and its buffer fills.
        send(&mut one, i64::MAX, &stop, |_| {});
        stop.store(false, Ordering::Relaxed);
        drop(other);
        send(&mut one, i64::MAX, &stop, |_| {});
    }
}
