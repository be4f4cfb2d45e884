//! Measures the throughput of the codes by block shape, in megabytes of data per second and core, best of
//! many runs. `codec CODE K R BYTES` measures one shape; without arguments it prints the whole table.

#![allow(clippy::print_stdout, reason = "the program prints its result")]
#![allow(clippy::disallowed_methods, reason = "it measures real time")]

use airtcp_units::LowBits;
use std::hint::black_box;
use std::time::{Duration, Instant};

use airtcp_fec::{Code, CodeConfig, ErasureCode};

/// Duration of each measurement.
const PATIENCE: Duration = Duration::from_millis(60);
/// Data symbols, repair symbols.
const SHAPES: [(usize, usize); 7] =
    [(10, 2), (10, 10), (20, 4), (32, 8), (64, 16), (100, 25), (200, 50)];
const BYTES: [usize; 4] = [200, 512, 1400, 1460];

fn best(mut work: impl FnMut()) -> f64 {
    work();
    let mut best = f64::MAX;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let one = Instant::now();
        work();
        best = best.min(one.elapsed().as_secs_f64());
    }
    best
}

/// MB of data per second: encoding all repair symbols, encoding one more repair symbol, decoding `r`
/// losses, decoding one loss.
fn measure(config: CodeConfig, k: usize, r: usize, bytes: usize) -> Option<[f64; 4]> {
    let mut code = Code::new(&config);
    let byte = |i: usize, j: usize| u8::low_bits(i * 131 + j * 31 + i * j);
    let data: Vec<Vec<u8>> = (0..k).map(|i| (0..bytes).map(|j| byte(i, j)).collect()).collect();
    let source: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
    // Two symbols more than Reed-Solomon needs, for the other codes.
    let spare = usize::from(!matches!(config, CodeConfig::ReedSolomon(_))) * 2;
    let repair = code.encode(&source, k..k + r + spare).ok()?;
    let encode = best(|| {
        black_box(code.encode(black_box(&source), k..k + r)).ok();
    });
    let fresh = best(|| {
        black_box(code.encode(black_box(&source), k + r..k + r + 1)).ok();
    });
    let mut decode = |lost: usize| {
        let received: Vec<(usize, &[u8])> = (lost..k)
            .map(|n| (n, source[n]))
            .chain((0..lost + spare).map(|j| (k + j, repair[j].as_slice())))
            .collect();
        code.decode(k, bytes, &received).ok()?;
        Some(best(|| {
            black_box(code.decode(k, bytes, black_box(&received))).ok();
        }))
    };
    let (all, one) = (decode(r.min(k))?, decode(1)?);
    let size = (k * bytes) as f64 / 1e6;
    Some([encode, fresh, all, one].map(|seconds| size / seconds))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|a| a.parse().ok());
    let shape = number(1).zip(number(2)).zip(number(3));
    println!(
        "code K+R bytes: encode, one fresh symbol, decode R lost, decode 1 lost (MB/s of data)"
    );
    for config in CodeConfig::all() {
        if arguments.first().is_some_and(|name| name != config.kind()) {
            continue;
        }
        let table: Vec<(usize, usize, usize)> = match shape {
            Some(((k, r), bytes)) => vec![(k, r, bytes)],
            None => SHAPES.iter().flat_map(|&(k, r)| BYTES.map(|b| (k, r, b))).collect(),
        };
        for (k, r, bytes) in table {
            let line = measure(config, k, r, bytes)
                .map_or("refused".to_owned(), |m| m.map(|x| format!("{x:.0}")).join(" "));
            println!("{} {k}+{r} {bytes}: {line}", config.kind());
        }
    }
}
