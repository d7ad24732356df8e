//! The things of a write one by one, of which some meet requests.

use guanxi_model::{Command, RequestKey, Write};

/// How the things of a write are done.
#[derive(Debug)]
pub enum Turns {
    /// There is one thing, which meets a request: it is the write.
    One(Write),
    /// One turn after the other.
    Many(Vec<Turn>),
}

/// What is done in one turn.
#[derive(Debug)]
pub enum Turn {
    /// Things that meet no request.
    Together(Write),
    /// One that does.
    Alone(Write),
}

/// Returns in which turns the things of a write are done. Those between things that meet requests go together, unless each has to
/// be known again under the request id.
pub fn turns(commands: Vec<Command>, request: Option<&RequestKey>, concerned: &[usize]) -> Turns {
    let mut things: Vec<Command> = commands.into_iter().flat_map(things).collect();
    if concerned.len() == 1
        && things.len() == 1
        && let Some(thing) = things.pop()
    {
        return Turns::One(Write::of(thing).under(request.cloned()));
    }
    let (mut turns, mut together) = (Vec::new(), Vec::new());
    let key = |place| request.map(|request| request.of_thing(place));
    let last = things.len();
    for (place, thing) in things.into_iter().enumerate() {
        let key = key(place);
        if concerned.contains(&place) {
            if !together.is_empty() {
                turns.push(Turn::Together(Write::all(std::mem::take(&mut together))));
            }
            turns.push(Turn::Alone(Write::of(thing).under(key)));
            continue;
        }
        together.push(thing);
        if request.is_some() || place + 1 == last {
            turns.push(Turn::Together(Write::all(std::mem::take(&mut together)).under(key)));
        }
    }
    Turns::Many(turns)
}

/// A command as one for each thing that has an outcome of its own, where it is about follows.
fn things(command: Command) -> Vec<Command> {
    match command {
        Command::ImportEdges { edges, revive } => {
            edges.into_iter().map(|edge| Command::ImportEdges { edges: vec![edge], revive }).collect()
        }
        command => vec![command],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{Op, PairCommand, Uid};

    fn follows(objects: &[u64]) -> Vec<Command> {
        let uid = |n| Uid::new(n).unwrap();
        let pair = |n: &u64| PairCommand { op: Op::Follow, subject: uid(1), object: uid(*n) };
        objects.iter().map(|n| Command::Pair(pair(n))).collect()
    }

    /// Whether each turn is alone, with how many things and whether it has a request id.
    fn shape(turns: Turns) -> Vec<(bool, usize, bool)> {
        let of = |is_alone, write: &Write| (is_alone, write.commands.len(), write.request.is_some());
        match turns {
            Turns::One(write) => vec![of(true, &write)],
            Turns::Many(turns) => turns
                .iter()
                .map(|turn| match turn {
                    Turn::Together(write) => of(false, write),
                    Turn::Alone(write) => of(true, write),
                })
                .collect(),
        }
    }

    #[test]
    fn things_between_those_that_meet_requests_go_together() {
        let of = |concerned: &[usize]| shape(turns(follows(&[2, 3, 4, 5, 6]), None, concerned));
        assert_eq!(of(&[2]), [(false, 2, false), (true, 1, false), (false, 2, false)]);
        assert_eq!(of(&[0, 1]), [(true, 1, false), (true, 1, false), (false, 3, false)]);
        assert_eq!(of(&[4]), [(false, 4, false), (true, 1, false)]);
    }

    #[test]
    fn each_thing_of_a_request_is_known_by_an_id_of_its_own() {
        let request = RequestKey { actor: Uid::new(1).unwrap(), id: "r".into(), fingerprint: 7 };
        let Turns::Many(all) = turns(follows(&[2, 3, 4]), Some(&request), &[1]) else { panic!("many") };
        let ids = all.iter().map(|turn| match turn {
            Turn::Together(write) | Turn::Alone(write) => {
                write.request.as_ref().unwrap().id.stored().into_owned()
            }
        });
        assert_eq!(ids.collect::<Vec<_>>(), ["r\u{1}1\u{2}0", "r\u{1}1\u{2}1", "r\u{1}1\u{2}2"]);
        let Turns::One(write) = turns(follows(&[2]), Some(&request), &[0]) else { panic!("one") };
        assert_eq!(write.request, Some(request), "a write of one thing keeps its id");
    }
}
