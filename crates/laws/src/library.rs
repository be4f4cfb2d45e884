//! Opens a shared library and checks the table of its law.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::abi::{ABI, Ack, Episode, Idle, KEYS, LAW_FUNCTIONS, Lost, RawLaw, Sent, State};

/// Longest text in a table.
const LONGEST: usize = 1000;

/// A law in a shared library. The library stays loaded as long as the process lives.
#[derive(Debug)]
pub struct Library {
    pub(crate) table: RawLaw,
    /// Name of the law.
    pub name: String,
    /// What it does, in a line.
    pub about: String,
    /// Keys with their defaults, in order.
    pub keys: Vec<(String, f64)>,
}

#[allow(unsafe_code, reason = "pointers to the code and texts of a library")]
// SAFETY: the table has functions and constant texts of a library that is never unloaded. The
// functions work on the state that they are given, as the header demands.
unsafe impl Send for Library {}
#[allow(unsafe_code, reason = "pointers to the code and texts of a library")]
// SAFETY: as above; the table is not changed after it was checked.
unsafe impl Sync for Library {}

impl Library {
    /// Opens a library. Its code runs.
    ///
    /// # Errors
    /// If it cannot be opened, has no law, or a law of another interface.
    pub fn open(path: &Path) -> Result<Self, String> {
        let refuse = |why: &str| format!("{}: {why}", path.display());
        // A name without a folder would be looked for in the system's folders.
        let whole = std::path::absolute(path).map_err(|e| refuse(&e.to_string()))?;
        let name = CString::new(whole.as_os_str().as_bytes())
            .map_err(|_| refuse("the name has a zero byte"))?;
        let entry = entry(&name).map_err(|why| refuse(&why))?;
        let table = filled(entry).map_err(|why| refuse(&why))?;
        let named = text(table.name, "name").map_err(|why| refuse(&why))?;
        let about = text(table.about, "about").map_err(|why| refuse(&why))?;
        let keys = text(table.keys, "keys").map_err(|why| refuse(&why))?;
        let keys = keys_of(&keys).map_err(|why| refuse(&why))?;
        if named.is_empty() {
            return Err(refuse("the law has no name"));
        }
        Ok(Self { table, name: named, about, keys })
    }

    /// A law of functions that are in this process already, as a compiler in it makes them.
    ///
    /// `addresses` are those of the functions in the order of [`LAW_FUNCTIONS`]; zero for one that the law leaves to
    /// the base.
    ///
    /// The functions have the types of the header, and stay as long as the process lives: as with the code of a
    /// library that is [opened](Self::open), only the user can know that they do.
    ///
    /// # Errors
    /// If the keys cannot be those of a law.
    #[allow(unsafe_code, reason = "a compiler gives addresses")]
    pub fn of_functions(
        name: &str,
        about: &str,
        keys: &str,
        flags: u64,
        addresses: [usize; LAW_FUNCTIONS.len()],
    ) -> Result<Self, String> {
        let refuse = |why: String| format!("{name}: {why}");
        let keys = keys_of(keys).map_err(refuse)?;
        let [start, avoid, reduced, on_ack, on_congestion, on_lost, on_sent, on_idle, on_spurious] =
            addresses;
        let mut table = empty().map_err(refuse)?;
        table.flags = flags;
        let at = std::ptr::with_exposed_provenance::<()>;
        // SAFETY: the caller promises that an address other than zero is that of a function of this type; an
        // absent function and zero are the same (the layout of `Option` of a function is guaranteed).
        unsafe {
            table.start = std::mem::transmute::<*const (), Option<Start>>(at(start));
            table.avoid = std::mem::transmute::<*const (), Option<OnAck>>(at(avoid));
            table.reduced = std::mem::transmute::<*const (), Option<Reduced>>(at(reduced));
            table.on_ack = std::mem::transmute::<*const (), Option<OnAck>>(at(on_ack));
            table.on_congestion =
                std::mem::transmute::<*const (), Option<OnCongestion>>(at(on_congestion));
            table.on_lost = std::mem::transmute::<*const (), Option<OnLost>>(at(on_lost));
            table.on_sent = std::mem::transmute::<*const (), Option<OnSent>>(at(on_sent));
            table.on_idle = std::mem::transmute::<*const (), Option<OnIdle>>(at(on_idle));
            table.on_spurious = std::mem::transmute::<*const (), Option<Start>>(at(on_spurious));
        }
        Ok(Self { table, name: name.to_owned(), about: about.to_owned(), keys })
    }
}

type Start = unsafe extern "C" fn(*mut State);
type OnAck = unsafe extern "C" fn(*mut State, *const Ack);
type Reduced = unsafe extern "C" fn(*mut State, *const Episode) -> f64;
type OnCongestion = unsafe extern "C" fn(*mut State, *const Episode);
type OnLost = unsafe extern "C" fn(*mut State, *const Lost);
type OnSent = unsafe extern "C" fn(*mut State, *const Sent);
type OnIdle = unsafe extern "C" fn(*mut State, *const Idle);

type Entry = unsafe extern "C" fn(*mut RawLaw) -> c_int;

/// The function of a library that fills the table.
#[allow(unsafe_code, reason = "no safe library loads code")]
fn entry(name: &CStr) -> Result<Entry, String> {
    // SAFETY: the name ends with a zero byte. The library's constructors run: the user asked for it.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err(format!("cannot be loaded: {}", said()));
    }
    // SAFETY: the handle is open, and the name ends with a zero byte.
    let symbol = unsafe { libc::dlsym(handle, c"airtcp_law_v1".as_ptr()) };
    if symbol.is_null() {
        return Err(
            "exports no function airtcp_law_v1; see airtcp_law.h (airtcp law header)".to_owned()
        );
    }
    // SAFETY: the header declares the function of this name with this type.
    Ok(unsafe { std::mem::transmute::<*mut c_void, Entry>(symbol) })
}

/// The loader's last error.
#[allow(unsafe_code, reason = "no safe library loads code")]
fn said() -> String {
    // SAFETY: returns null or a text that is valid until the next call of the loader by this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "no reason given".to_owned();
    }
    // SAFETY: not null, and ends with a zero byte.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A table without functions.
fn empty() -> Result<RawLaw, String> {
    Ok(RawLaw {
        abi: ABI,
        size: u32::try_from(size_of::<RawLaw>()).map_err(|e| e.to_string())?,
        name: std::ptr::null(),
        about: std::ptr::null(),
        keys: std::ptr::null(),
        flags: 0,
        start: None,
        avoid: None,
        reduced: None,
        on_ack: None,
        on_congestion: None,
        on_lost: None,
        on_sent: None,
        on_idle: None,
        on_spurious: None,
    })
}

/// The table that the function fills.
#[allow(unsafe_code, reason = "calls code of a library")]
fn filled(entry: Entry) -> Result<RawLaw, String> {
    let mut table = empty()?;
    let size = table.size;
    // SAFETY: the function has this type by the header, and the table is as large as it says.
    let done = unsafe { entry(&raw mut table) };
    if done != 0 {
        return Err(format!("airtcp_law_v1 returned {done}; expected 0"));
    }
    if table.abi != ABI || table.size != size {
        return Err(format!(
            "is made for another interface (version {}, {} bytes; expected version {ABI}, {size} bytes): \
             compile it with the present airtcp_law.h (airtcp law header)",
            table.abi, table.size
        ));
    }
    Ok(table)
}

/// A text of the table; empty for null.
#[allow(unsafe_code, reason = "reads a text of a library")]
fn text(pointer: *const c_char, what: &str) -> Result<String, String> {
    if pointer.is_null() {
        return Ok(String::new());
    }
    // SAFETY: the header asks for a text that ends with a zero byte and stays.
    let text = unsafe { CStr::from_ptr(pointer) };
    match text.to_str() {
        Ok(text) if text.len() <= LONGEST && !text.contains(char::is_control) => {
            Ok(text.to_owned())
        }
        _ => Err(format!("{what} of the law is no text of at most {LONGEST} letters")),
    }
}

/// Keys such as `a=1 b=0.5`.
fn keys_of(text: &str) -> Result<Vec<(String, f64)>, String> {
    let mut keys: Vec<(String, f64)> = Vec::new();
    for part in text.split_whitespace() {
        let pair = part.split_once('=').and_then(|(key, value)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let named =
                key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(plain);
            let value: f64 = value.parse().ok().filter(|v: &f64| v.is_finite())?;
            named.then(|| (key.to_owned(), value))
        });
        let (key, value) =
            pair.ok_or_else(|| format!("keys: \"{part}\" is none; expected KEY=NUMBER"))?;
        if keys.iter().any(|(other, _)| *other == key) {
            return Err(format!("keys: there are two of the name {key}"));
        }
        keys.push((key, value));
    }
    if keys.len() > KEYS {
        return Err(format!("keys: there are {}; expected at most {KEYS}", keys.len()));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_names_and_numbers() {
        assert_eq!(keys_of("").unwrap(), []);
        let two = [("a".to_owned(), 1.0), ("b_2".to_owned(), 0.5)];
        assert_eq!(keys_of(" a=1  b_2=0.5 ").unwrap(), two);
        for bad in ["a", "a=x", "a=nan", "1a=2", "a=1 a=2", "a b=1"] {
            assert!(keys_of(bad).is_err(), "{bad}");
        }
        let many: Vec<String> = (0..17).map(|i| format!("k{i}=0")).collect();
        assert!(keys_of(&many.join(" ")).unwrap_err().contains("at most 16"));
    }

    #[test]
    fn functions_of_this_process_make_a_law() {
        extern "C" fn reduced(_: *mut State, episode: *const Episode) -> f64 {
            if episode.is_null() { 1.0 } else { 2.0 }
        }
        let mut addresses = [0; LAW_FUNCTIONS.len()];
        addresses[2] = reduced as *const () as usize;
        let made = |keys| Library::of_functions("Mine", "", keys, 0, addresses);
        let law = made("a=2").unwrap();
        assert!(law.table.avoid.is_none() && law.table.reduced.is_some());
        assert_eq!((law.name.as_str(), &law.keys[..]), ("Mine", &[("a".to_owned(), 2.0)][..]));
        assert!(made("a").is_err());
    }

    #[test]
    fn what_is_no_library_is_refused() {
        let missing = Library::open(Path::new("no-such-library.so")).unwrap_err();
        assert!(missing.contains("cannot be loaded"), "{missing}");
        let text =
            Library::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml").as_path());
        assert!(text.unwrap_err().contains("cannot be loaded"));
    }
}
