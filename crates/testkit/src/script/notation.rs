//! Segments in the notation of the scripts: `. 1:1001 ack 1 win 65535 <sack 2001:3001> [ect0]`.

use airtcp_packet::{Ecn, Flags, NO_WINDOW_SCALE, Segment};
use airtcp_units::Narrow;

use super::origin::{Origin, Origins};
use super::pattern::{Field, Length, Pattern, Stamps};

const LETTERS: [(Flags, char); 7] = [
    (Flags::SYN, 'S'),
    (Flags::FIN, 'F'),
    (Flags::RST, 'R'),
    (Flags::PSH, 'P'),
    (Flags::ACK, '.'),
    (Flags::ECE, 'E'),
    (Flags::CWR, 'W'),
];

const ECN: [(Ecn, &str); 4] =
    [(Ecn::NotEct, "noect"), (Ecn::Ect0, "ect0"), (Ecn::Ect1, "ect1"), (Ecn::Ce, "ce")];

/// Maximum number of segments from one line.
pub(super) const MAX_SEGMENTS: u64 = 10_000;

/// Writes a segment; `from` is the sequence space of its sender, `to` that of its receiver.
pub(super) fn write(segment: &Segment, from: &Origin, to: &Origin) -> String {
    let seq = from.to_script(segment.seq);
    let mut words = vec![write_flags(segment.flags)];
    words.push(if segment.len > 0 {
        format!("{seq}:{}", seq + i64::from(segment.len))
    } else {
        format!("seq {seq}")
    });
    if segment.flags.has(Flags::ACK) {
        words.push(format!("ack {}", to.to_script(segment.ack)));
    }
    words.push(format!("win {}", segment.window));
    let mut options = Vec::new();
    if segment.mss != 0 {
        options.push(format!("mss {}", segment.mss));
    }
    if segment.sack_permitted() {
        options.push("sackOK".into());
    }
    if segment.has_timestamps() {
        options.push(format!("ts {} {}", segment.timestamps.0, segment.timestamps.1));
    }
    if segment.window_scale != NO_WINDOW_SCALE {
        options.push(format!("wscale {}", segment.window_scale));
    }
    if !segment.sacks().is_empty() {
        let blocks = segment.sacks().iter().map(|b| (to.to_script(b.start), to.to_script(b.end)));
        options.push(write_blocks(blocks));
    }
    if !options.is_empty() {
        words.push(format!("<{}>", options.join(", ")));
    }
    if segment.ecn != Ecn::NotEct {
        words.push(format!("[{}]", ecn_name(segment.ecn)));
    }
    words.join(" ")
}

/// Writes a segment sent by the connection.
pub(super) fn write_sent(segment: &Segment, origins: &Origins) -> String {
    write(segment, &origins.ours, &origins.peer)
}

/// Writes the pattern of a line.
pub(super) fn write_pattern(pattern: &Pattern) -> String {
    let mut words = vec![pattern.flags.map_or_else(|| "*".to_owned(), write_flags)];
    match (pattern.seq, pattern.len) {
        (Some(seq), Length::Exactly(len)) if len > 0 => {
            words.push(format!("{seq}:{}", seq + i64::from(len)));
        }
        (seq, len) => {
            words.extend(seq.map(|seq| format!("seq {seq}")));
            words.extend((len == Length::Any).then(|| "*".to_owned()));
        }
    }
    words.extend(pattern.ack.map(|ack| format!("ack {ack}")));
    words.extend(pattern.window.map(|window| format!("win {window}")));
    let mut options = Vec::new();
    let mut option = |name: &str, field: Field<String>| match field {
        Field::Open => {}
        Field::Absent => options.push(format!("no {name}")),
        Field::Given(text) => options.push(text),
    };
    option("mss", pattern.mss.map(|n| format!("mss {n}")));
    option("sackOK", pattern.sack_ok.map(|()| "sackOK".to_owned()));
    let stamp = |n: &Option<u32>| n.map_or_else(|| "*".to_owned(), |n| n.to_string());
    option("ts", pattern.stamps.map(|(a, b)| format!("ts {} {}", stamp(a), stamp(b))));
    option("wscale", pattern.scale.map(|n| format!("wscale {n}")));
    option("sack", pattern.sacks.map(|list| write_blocks(list.iter().copied())));
    if !options.is_empty() {
        words.push(format!("<{}>", options.join(", ")));
    }
    words.extend(pattern.ecn.map(|ecn| format!("[{}]", ecn_name(ecn))));
    words.join(" ")
}

fn write_blocks(blocks: impl Iterator<Item = (i64, i64)>) -> String {
    blocks.fold("sack".to_owned(), |text, (start, end)| format!("{text} {start}:{end}"))
}

fn write_flags(flags: Flags) -> String {
    let letters: String = LETTERS.iter().filter(|(f, _)| flags.has(*f)).map(|(_, c)| *c).collect();
    if letters.is_empty() { "-".to_owned() } else { letters }
}

fn ecn_name(ecn: Ecn) -> &'static str {
    ECN.iter().find(|(e, _)| *e == ecn).map_or("", |(_, name)| *name)
}

/// Parses the text after `<` or `>`: one pattern for each segment.
pub(super) fn parse(text: &str) -> Result<Vec<Pattern>, String> {
    let (text, options) = cut(text, '<', '>')?;
    let (text, ecn) = cut(&text, '[', ']')?;
    let mut words = text.split_whitespace();
    let flags = words.next().ok_or("a segment begins with its flags, such as \"S.\" or \".\"")?;
    let mut pattern = Pattern {
        flags: parse_flags(flags)?,
        seq: None,
        len: Length::Exactly(0),
        ack: None,
        window: None,
        mss: Field::Open,
        scale: Field::Open,
        sack_ok: Field::Open,
        stamps: Field::Open,
        sacks: Field::Open,
        ecn: None,
    };
    let (mut range, mut times) = (None, 1);
    while let Some(word) = words.next() {
        let mut value = || {
            let text = words.next().ok_or_else(|| format!("\"{word}\" needs a number or *"))?;
            if text == "*" { Ok(None) } else { integer(text).map(Some) }
        };
        match word {
            "seq" => pattern.seq = value()?,
            "ack" => pattern.ack = value()?,
            "win" => pattern.window = value()?.map(|n| within(n, "win")).transpose()?,
            "*" => pattern.len = Length::Any,
            _ if word.contains(':') => range = Some(parse_range(word)?),
            _ => {
                times = parse_times(word)?;
            }
        }
    }
    if let Some(text) = options {
        parse_options(&text, &mut pattern)?;
    }
    pattern.ecn = ecn.as_deref().map(parse_ecn).transpose()?;
    let patterns = match range {
        None => vec![pattern],
        Some((start, end, step)) => split(&pattern, start, end, step)?,
    };
    if patterns.len() as u64 * times > MAX_SEGMENTS {
        return Err(format!("a line stands for at most {MAX_SEGMENTS} segments"));
    }
    Ok((0..times).flat_map(|_| patterns.iter().cloned()).collect())
}

/// Removes the part between brackets from a line.
fn cut(text: &str, open: char, close: char) -> Result<(String, Option<String>), String> {
    let Some((before, rest)) = text.split_once(open) else {
        return Ok((text.to_owned(), None));
    };
    let (inside, after) =
        rest.split_once(close).ok_or_else(|| format!("'{open}' without '{close}'"))?;
    if after.contains(open) {
        return Err(format!("only one '{open}...{close}' in a line"));
    }
    Ok((format!("{before} {after}"), Some(inside.to_owned())))
}

fn parse_flags(text: &str) -> Result<Option<Flags>, String> {
    match text {
        "*" => return Ok(None),
        "-" => return Ok(Some(Flags::NONE)),
        _ => {}
    }
    let mut flags = Flags::NONE;
    for c in text.chars() {
        let (flag, _) = LETTERS.iter().find(|(_, letter)| *letter == c).ok_or_else(|| {
            format!(
                "\"{text}\" is not a set of flags: expected letters of SFRP.EW, - for none, * for any"
            )
        })?;
        flags |= *flag;
    }
    Ok(Some(flags))
}

/// Parses the number of segments `xN`.
fn parse_times(word: &str) -> Result<u64, String> {
    let times = word.strip_prefix('x').and_then(|n| n.parse().ok());
    times.filter(|n| (1..=MAX_SEGMENTS).contains(n)).ok_or_else(|| {
        format!(
            "unknown word \"{word}\": expected seq, ack, win, a range A:B or A:B/STEP, *, and \
             xN with N up to {MAX_SEGMENTS}"
        )
    })
}

fn parse_ecn(text: &str) -> Result<Ecn, String> {
    let found = ECN.iter().find(|(_, name)| *name == text.trim());
    found
        .map(|(ecn, _)| *ecn)
        .ok_or_else(|| format!("unknown mark [{text}]: expected [ect0], [ect1], [ce], [noect]"))
}

fn integer(text: &str) -> Result<i64, String> {
    text.replace('_', "")
        .parse()
        .ok()
        .filter(|n| (-(1i64 << 31)..1 << 32).contains(n))
        .ok_or_else(|| format!("\"{text}\" is not a number between -2^31 and 2^32"))
}

fn within<T: TryFrom<i64>>(number: i64, what: &str) -> Result<T, String> {
    T::try_from(number).map_err(|_| format!("{number} does not fit into the field of {what}"))
}

/// `A:B` or `A:B/STEP`.
fn parse_range(text: &str) -> Result<(i64, i64, Option<i64>), String> {
    let (range, step) = match text.split_once('/') {
        None => (text, None),
        Some((range, step)) => (range, Some(integer(step)?)),
    };
    let (start, end) = pair(range)?;
    if step.is_some_and(|s| s < 1) {
        return Err(format!("the step of \"{text}\" is less than 1"));
    }
    Ok((start, end, step))
}

/// `A:B` with A at most B.
fn pair(text: &str) -> Result<(i64, i64), String> {
    let (a, b) = text.split_once(':').ok_or_else(|| format!("\"{text}\" is not a range A:B"))?;
    let (a, b) = (integer(a)?, integer(b)?);
    if a > b {
        return Err(format!("the range {text} ends before it begins"));
    }
    Ok((a, b))
}

/// A copy of the pattern for each part of a range.
fn split(
    pattern: &Pattern,
    start: i64,
    end: i64,
    step: Option<i64>,
) -> Result<Vec<Pattern>, String> {
    let step = step.unwrap_or(end - start).max(1);
    if (end - start) / step > i64::narrow(MAX_SEGMENTS) {
        return Err(format!("a line stands for at most {MAX_SEGMENTS} segments"));
    }
    let mut patterns = Vec::new();
    let mut at = start;
    loop {
        let next = (at + step).min(end);
        let len = Length::Exactly(within(next - at, "the length")?);
        patterns.push(Pattern { seq: Some(at), len, ..pattern.clone() });
        at = next;
        if at >= end {
            return Ok(patterns);
        }
    }
}

fn parse_options(text: &str, pattern: &mut Pattern) -> Result<(), String> {
    let text = text.replace(',', " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        at += 1;
        let next = words.get(at).copied();
        let number = || next.ok_or_else(|| format!("<{word}> needs a number")).and_then(integer);
        match word {
            "mss" => {
                pattern.mss = Field::Given(within(number()?, "mss")?);
                at += 1;
            }
            "wscale" => {
                pattern.scale = Field::Given(within(number()?, "wscale")?);
                at += 1;
            }
            "sackOK" => pattern.sack_ok = Field::Given(()),
            "ts" => {
                let (stamps, used) = parse_stamps(&words[at..])?;
                pattern.stamps = Field::Given(stamps);
                at += used;
            }
            "sack" => {
                let mut blocks = Vec::new();
                while let Some(block) = words.get(at).filter(|w| w.contains(':')) {
                    blocks.push(pair(block)?);
                    at += 1;
                }
                if blocks.is_empty() || blocks.len() > 4 {
                    return Err("<sack> takes one to four blocks A:B".into());
                }
                pattern.sacks = Field::Given(blocks);
            }
            "no" => {
                at += 1;
                match next {
                    Some("mss") => pattern.mss = Field::Absent,
                    Some("wscale") => pattern.scale = Field::Absent,
                    Some("sackOK") => pattern.sack_ok = Field::Absent,
                    Some("ts") => pattern.stamps = Field::Absent,
                    Some("sack") => pattern.sacks = Field::Absent,
                    _ => return Err("<no> is followed by mss, wscale, sackOK, ts or sack".into()),
                }
            }
            _ => {
                return Err(format!(
                    "unknown option \"{word}\": expected mss N, wscale N, sackOK, ts [VALUE \
                     ECHO], sack A:B ..., and no OPTION"
                ));
            }
        }
    }
    Ok(())
}

/// Parses an optional value and echo. Also returns the number of words used.
fn parse_stamps(words: &[&str]) -> Result<(Stamps, usize), String> {
    let stamp = |word: &str| -> Result<Option<u32>, String> {
        if word == "*" { Ok(None) } else { integer(word).and_then(|n| within(n, "ts")).map(Some) }
    };
    match words {
        [value, echo, ..] if is_stamp(value) && is_stamp(echo) => {
            Ok(((stamp(value)?, stamp(echo)?), 2))
        }
        [value, ..] if is_stamp(value) => Err("<ts> takes a value and an echo, or nothing".into()),
        _ => Ok(((None, None), 0)),
    }
}

fn is_stamp(word: &str) -> bool {
    word == "*" || word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}
