use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// A crew of one follower on a thread of this process.
struct Pair {
    left: Mutex<Vec<usize>>,
    orders: Mutex<Sender<Order>>,
    answers: Mutex<Receiver<(usize, Option<String>)>>,
    /// Jobs that the follower has not answered.
    given: Mutex<usize>,
}

impl Crew for Pair {
    fn begin(&self, jobs: Vec<usize>) {
        *self.left.lock().unwrap() = jobs;
    }

    fn take(&self) -> Option<usize> {
        let mut left = self.left.lock().unwrap();
        (!left.is_empty()).then(|| left.remove(0))
    }

    fn wait(&self) -> Vec<(usize, Option<String>)> {
        let mut given = self.given.lock().unwrap();
        if *given == 0
            && let Some(job) = self.left.lock().unwrap().pop()
        {
            self.orders.lock().unwrap().send(Order::Job(job)).unwrap();
            *given += 1;
        }
        let answers = self.answers.lock().unwrap();
        let found: Vec<_> = answers.recv_timeout(Duration::from_millis(20)).into_iter().collect();
        *given -= found.len();
        found
    }

    fn stop(&self) {
        // The follower may have ended.
        drop(self.orders.lock().unwrap().send(Order::Stop));
    }

    fn end(&self, results: Vec<Option<String>>) {
        self.orders.lock().unwrap().send(Order::End(results)).unwrap();
    }
}

struct Ear {
    orders: Receiver<Order>,
    answers: Sender<(usize, Option<String>)>,
}

impl Leader for Ear {
    fn next(&self) -> Order {
        self.orders.recv().unwrap_or(Order::Stop)
    }

    fn answer(&self, job: usize, result: Option<String>) {
        drop(self.answers.send((job, result)));
    }
}

fn pair() -> (Pair, impl FnOnce() -> Ear + Send) {
    let (orders, get_orders) = channel();
    let (answers, get_answers) = channel();
    let crew = Pair {
        left: Mutex::default(),
        orders: Mutex::new(orders),
        answers: Mutex::new(get_answers),
        given: Mutex::new(0),
    };
    (crew, move || Ear { orders: get_orders, answers })
}

/// Two lists, of which the second depends on the results of the first.
fn call(place: &Mutex<Vec<usize>>, report: impl Fn(usize) -> bool) -> Vec<Option<u64>> {
    let packing = Packing {
        // Odd results have no text.
        pack: |x: &u64| x.is_multiple_of(2).then(|| x.to_string()),
        unpack: |text: &str| text.parse().ok(),
    };
    let job = |i: usize, _: &Stop| {
        std::thread::sleep(Duration::from_millis(1));
        place.lock().unwrap().push(i);
        Some(i as u64 * 2)
    };
    let first = share_many(20, 1, job, |i| i == 3, &packing, &report);
    let sum: u64 = first.iter().flatten().sum();
    let odd = |i: usize, _: &Stop| Some(sum + i as u64);
    let second = share_many(5, 1, odd, |_| false, &packing, &report);
    first.into_iter().chain(second).collect()
}

#[test]
fn a_leader_and_a_follower_get_what_one_process_gets() {
    let alone = call(&Mutex::default(), |_| true);
    let (crew, ear) = pair();
    let there = std::thread::spawn(move || {
        let _playing = play(Some(Role::Follows(Rc::new(ear()))));
        let place = Mutex::default();
        let found = call(&place, |_| true);
        (found, place.into_inner().unwrap())
    });
    let place = Mutex::default();
    let found = {
        let _playing = play(Some(Role::Leads(Rc::new(crew))));
        call(&place, |_| true)
    };
    assert_eq!(found, alone);
    let (followed, did) = there.join().unwrap();
    let here = place.into_inner().unwrap();
    assert_eq!(followed[..20], alone[..20]);
    // Each did a part, and job 3 was done by the leader.
    assert!(!did.is_empty() && !here.is_empty() && !did.contains(&3) && here.contains(&3));
    assert_eq!(did.len() + here.len(), 20);
    // Results without a text are known to the leader alone.
    assert_eq!(followed[20..], [alone[20], None, alone[22], None, alone[24]]);
}

#[test]
fn a_stop_keeps_what_is_finished() {
    let (crew, ear) = pair();
    let there = std::thread::spawn(move || {
        let _playing = play(Some(Role::Follows(Rc::new(ear()))));
        call(&Mutex::default(), |_| true)
    });
    let _playing = play(Some(Role::Leads(Rc::new(crew))));
    let found = call(&Mutex::default(), |done| done < 4);
    let finished = found.iter().flatten().count();
    assert!((4..20).contains(&finished), "{finished}");
    there.join().unwrap();
}
