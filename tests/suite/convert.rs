//! Puzzles converted and drawn by the command, and what it tells of itself.

use std::io::{BufRead, BufReader};

use crate::common::command::{
    LONG, Scratch, assert_printed, ended, ends, fed, omnogram, output, spawn, stderr, stdout, words,
};

#[test]
fn many_puzzles_go_into_a_folder_or_a_pack() {
    let folder = Scratch::new("convert");
    let out = folder.join("out");
    let path = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
    let there = format!("{}/", path(&out));
    ended(
        0,
        &words(&format!(
            "convert --to webpbn puzzles/pictures puzzles/pack.nonpack {there}"
        )),
    );
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("a file")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    assert_eq!(names.len(), 22);
    assert!(names.contains(&"heart.xml".to_owned()) && names.contains(&"pack-3.xml".to_owned()));
    // Nothing is written over, unless that is asked for.
    let again = format!("convert --to webpbn puzzles/pictures/heart.non {there}");
    let again = words(&again);
    let run = ended(2, &again);
    assert!(stderr(&run).contains("already exists: --force"), "{run:?}");
    ended(0, &[&again[..], &["--force"]].concat());
    // What is read never is.
    let heart = path(&out.join("heart.xml"));
    let run = ended(2, &["convert", "--force", &heart, &heart]);
    assert!(stderr(&run).contains("this is an input file"), "{run:?}");

    let pack = path(&folder.join("all.nonpack"));
    ended(0, &["convert", &there, &pack]);
    let checked = output(&["check", "-q", &pack]);
    assert_eq!(stdout(&checked).lines().count(), 22);
    let piped = output(&["convert", &pack, "--to", "json", "-"]);
    let back = fed(&["convert", "-", "--to", "non", "-"], &piped.stdout);
    assert_eq!(back.stdout, std::fs::read(&pack).expect("a pack"));
    // Nothing is made when there is nothing to write.
    let none = path(&folder.join("none.non"));
    ended(65, &["convert", "puzzles/bad/empty.non", &none]);
    assert!(!std::path::Path::new(&none).exists());
}

#[test]
fn a_picture_becomes_a_puzzle_and_a_puzzle_a_picture() {
    let folder = Scratch::new("pictures");
    let name = &folder.file("cat.png");
    let cat = "puzzles/pictures/cat.non";
    ended(0, &["convert", "-q", cat, name]);
    let solution = |puzzle: &str| output(&["solve", puzzle]).stdout;
    assert_eq!(solution(name), solution(cat));
    let smaller = output(&words(&format!(
        "convert {name} --size 7x5 --threshold auto --invert --dither --to pbm-plain -"
    )));
    assert!(stdout(&smaller).starts_with("P1\n7 5\n"), "{smaller:?}");
    ended(2, &["convert", name, "--size", "0x5", "--to", "non", "-"]);
}

/// The library's words are the studio's and Python's too, so that the command adds them.
#[test]
fn errors_name_the_verb_that_helps() {
    let folder = Scratch::new("hints");
    let refused = |name: &str, content: &[u8]| {
        let name = folder.file(name);
        std::fs::write(&name, content).unwrap();
        String::from_utf8(ended(65, &["solve", &name]).stderr).unwrap()
    };
    let unknown = refused("x.txt", b"no puzzle\n");
    assert!(
        unknown.contains("; omnogram help convert lists them\n"),
        "{unknown}"
    );
    let unclear = refused("unclear.txt", b"~+~\n++~\n");
    assert!(
        unclear.contains("# and ., or convert --filled with its character\n"),
        "{unclear}"
    );
    let mut wide = b"P4 5000 1 ".to_vec();
    wide.resize(wide.len() + 625, 0);
    let wide = refused("x.pbm", &wide);
    assert!(
        wide.contains("; convert --size scales the picture down\n"),
        "{wide}"
    );
}

#[test]
fn clauses_go_to_a_pipe_that_closes() {
    let mut child = spawn(&mut omnogram(&["convert", LONG, "--to", "dimacs", "-"]));
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut line).expect("a line");
    assert_eq!(line, "c t pmc\n");
    drop(reader);
    assert!(ends(&mut child).is_some());
}

/// The commands are in README.md and docs/guide.md.
#[test]
fn the_pictures_that_are_shown_are_what_is_drawn() {
    for (arguments, file) in [
        (&["show", "--solution"][..], "castle"),
        (&["show", "--ambiguous"][..], "snail"),
    ] {
        let puzzle = format!("puzzles/pictures/{file}.non");
        let drawn = ended(0, &[arguments, &["--format", "svg", &puzzle]].concat());
        let path = format!("{}/puzzles/shown/{file}.svg", env!("CARGO_MANIFEST_DIR"));
        let shown = std::fs::read_to_string(path).expect("a picture");
        assert!(
            stdout(&drawn) == shown,
            "{file} is drawn in another way now"
        );
    }
}

#[test]
fn drawings_go_where_they_are_sent() {
    let folder = Scratch::new("drawings");
    let name = folder.to_str().expect("a name");
    let run = output(&words(&format!(
        "show --solution --format png -o {name} puzzles/pack.nonpack"
    )));
    assert_printed(&run, 0, "");
    for file in ["pack-1.png", "pack-2.png", "pack-3.png"] {
        let bytes = std::fs::read(folder.join(file)).expect("a file");
        assert!(bytes.starts_with(b"\x89PNG"));
    }
    let twice = format!("show -o {name} puzzles/pictures/heart.non puzzles/pictures/heart.non");
    let twice = words(&twice);
    let run = ended(2, &twice);
    assert!(stderr(&run).contains("heart.txt: this file is named for two outputs of this command"));

    let list = folder.join("key.txt");
    let list = list.to_str().expect("a name");
    let key = "puzzles/pictures/key.non";
    assert!(output(&["enumerate", "-o", list, key]).status.success());
    let page = folder.join("key.html");
    let drawn = [
        "show",
        "--solutions-from",
        list,
        "-o",
        page.to_str().expect("a name"),
        key,
    ];
    let run = output(&drawn);
    assert_eq!((run.status.code(), stderr(&run)), (Some(0), ""));
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert_eq!(
        (
            html.matches("<svg ").count(),
            html.matches("<summary>Solutions</summary>").count()
        ),
        (2, 1)
    );
    // A list of another puzzle is refused, and a list that would be overwritten is spared.
    ended(
        65,
        &words(&format!(
            "show --solutions-from {list} puzzles/pictures/heart.non"
        )),
    );
    ended(2, &["show", "--solutions-from", list, "-o", list, key]);
    assert!(
        std::fs::read_to_string(list)
            .expect("a list")
            .starts_with(['.', '#'])
    );
}

#[test]
fn a_title_and_an_author_can_be_given() {
    let heart = "puzzles/pictures/heart.non";
    let named = ["convert", "--title", "T \"1\"", "--author", "A", heart];
    let run = output(&[&named[..], &["--to", "json", "-"]].concat());
    assert!(stdout(&run).contains(r#""title": "T \"1\"""#), "{run:?}");
    assert!(stdout(&run).contains(r#""author": "A""#), "{run:?}");
    // Where there is no place for them it is said.
    let run = output(&[&named[..], &["--to", "pattern", "-"]].concat());
    assert!(stderr(&run).contains("cannot hold the author"), "{run:?}");
    let game = ["convert", "--author", "A", "1x1:1/1", "--to", "dimacs", "-"];
    let run = output(&game);
    assert!(stderr(&run).contains("cannot hold the author"), "{run:?}");
    // An empty title is none.
    let run = output(&["convert", "-q", "--title", "", heart, "--to", "non", "-"]);
    assert!(!stdout(&run).contains("title"), "{run:?}");
}

#[test]
fn a_file_without_a_title_gives_its_name_in_a_pack() {
    let folder = Scratch::new("named");
    for name in ["a.b.nin", "heart.non", "pack.json", "control.json"] {
        let text = match name {
            "a.b.nin" => "1 1\n1\n1\n".to_owned(),
            "pack.json" => r#"[{"rows": [[1]], "columns": [[1]]}, {"rows": [[]], "columns": [[]], "title": "own"}]"#.to_owned(),
            "heart.non" => std::fs::read_to_string("puzzles/pictures/heart.non").expect("a puzzle"),
            _ => r#"{"rows": [[1]], "columns": [[1]], "title": "red \u001b[31m"}"#.to_owned(),
        };
        std::fs::write(folder.join(name), text).expect("a file");
    }
    let pack = folder.file("all.json");
    let from = folder.to_str().expect("UTF-8");
    ended(0, &["convert", from, &pack]);
    // The title stands beside the number, where it cannot steer a terminal; in JSON it has a member of its own.
    let lines = [
        "#1 (a.b)",
        "#2 (red \\u{1b}[31m)",
        "#3 (Heart)",
        "#4",
        "#5 (own)",
    ];
    let run = output(&["check", "-q", &pack]);
    let expected: Vec<String> = lines
        .iter()
        .map(|line| format!("{pack}{line}: unique"))
        .collect();
    assert_eq!(stdout(&run).lines().collect::<Vec<_>>(), expected);
    let run = output(&["count", &pack]);
    assert!(stdout(&run).contains("all.json#3 (Heart): 1\n"), "{run:?}");
    for verb in ["solve", "backbone", "enumerate"] {
        let run = output(&[verb, "-q", &pack]);
        assert!(
            stdout(&run).contains("all.json#3 (Heart) <==\n.#.#.\n"),
            "{run:?}"
        );
        // The heading is still one.
        assert_eq!(
            fed(&["check", "-q", "-"], &run.stdout).status.code(),
            Some(0)
        );
    }
    let run = output(&["check", "-q", "--json", &pack]);
    let lines: Vec<&str> = stdout(&run).lines().collect();
    assert!(
        lines[2].contains(r#"all.json#3","title":"Heart","width":5,"#),
        "{}",
        lines[2]
    );
    assert!(
        lines[3].contains(r#"all.json#4","width":1,"#),
        "{}",
        lines[3]
    );
    // A format without titles loses none that was only a name.
    let run = output(&[
        "convert",
        &folder.file("a.b.nin"),
        &folder.file("pack.json"),
        "--to",
        "pattern",
        "-",
    ]);
    assert_eq!(stderr(&run).matches("title").count(), 1, "{run:?}");
}

/// Eight of 46 files of a folder were never checked, and nothing was said.
#[test]
fn a_folder_tells_what_it_skips() {
    let folder = Scratch::new("skipped");
    let name = folder.to_str().expect("UTF-8");
    std::fs::create_dir(folder.join("deeper")).expect("a folder");
    for file in ["a.nin", "b.txt", "deeper/c.TXT", "d.png", "e", ".hidden"] {
        std::fs::write(folder.join(file), "1 1\n1\n1\n").expect("a file");
    }
    let run = output(&["check", name]);
    assert_eq!(stdout(&run), format!("{name}/a.nin: unique\n"));
    let note = format!(
        "{name}: 4 of 5 files skipped (2 .txt, 1 .png, 1 without an ending): in a folder only .json, .xml, .pbn, .gno, .mk, .nin, .cwd, .non, .nonpack, .g are read; to read others name them, such as {name}/b.txt"
    );
    assert_eq!(
        stderr(&run).lines().filter(|line| *line == note).count(),
        1,
        "{run:?}"
    );
    assert_eq!(stderr(&output(&["check", "-q", name])), "");
    let run = output(&["convert", name, "--to", "non", "-"]);
    assert_eq!(stderr(&run).lines().next(), Some(&note[..]));
    let run = output(&["convert", "--from", "nin", name, "--to", "non", "-"]);
    assert!(
        stderr(&run).contains("4 of 5 files skipped")
            && stderr(&run).contains("only .nin are read"),
        "{run:?}"
    );
    // Where nothing is skipped nothing is said.
    assert_eq!(stderr(&output(&["solve", "puzzles/pictures"])), "");
}

#[test]
fn show_makes_the_folder_that_it_is_told() {
    let folder = Scratch::new("made");
    let new = folder.file("new/deeper/");
    let run = output(&words(&format!(
        "show --format svg -o {new} puzzles/pack.nonpack"
    )));
    assert_eq!((run.status.code(), stderr(&run)), (Some(0), ""));
    assert!(folder.join("new/deeper/pack-3.svg").is_file());
    // A name without a slash may be meant for a file.
    let run = output(&[
        "show",
        "--format",
        "svg",
        "-o",
        &folder.file("x"),
        "puzzles/pack.nonpack",
    ]);
    assert!(stderr(&run).contains("such as --output out/"), "{run:?}");
}

/// Omnogram could not read what it writes.
#[test]
fn pictures_drawn_as_text_are_puzzles() {
    let folder = Scratch::new("text");
    let cat = "puzzles/pictures/cat.non";
    let solved = output(&["solve", cat]).stdout;
    let file = folder.file("cat.txt");
    std::fs::write(&file, &solved).expect("a file");
    assert_eq!(
        stdout(&output(&["check", &file])),
        format!("{file}: unique\n")
    );
    ended(0, &["show", "--goal", &file]);
    assert_eq!(
        fed(&["convert", "-", "--to", "text", "-"], &solved).stdout,
        solved
    );
    // A list of solutions is a pack, each with the same clues.
    let list = output(&["enumerate", "puzzles/pictures/key.non"]);
    let counted = fed(&["count", "-"], &list.stdout);
    let expected: String = (1..=5).map(|k| format!("<stdin>#{k}: 5\n")).collect();
    assert_eq!(stdout(&counted), expected);
    let back = fed(&["convert", "-", "--to", "text", "-"], &list.stdout);
    let verified = fed(&["verify", "puzzles/pictures/key.non"], &back.stdout);
    assert_eq!(stdout(&verified), "5 solutions, all valid, no repeats\n");
    // What is no picture has its place.
    let run = fed(
        &["check", "-"],
        &output(&["backbone", "puzzles/pictures/key.non"]).stdout,
    );
    assert_eq!(run.status.code(), Some(65));
    assert!(
        stderr(&run).starts_with("error: <stdin>:1:3: '?' in a grid: a cell is '#' or '.'\n"),
        "{run:?}"
    );
    let run = ended(
        65,
        &words("convert puzzles/known/diagonals.non --to text -"),
    );
    assert!(stderr(&run).contains("gives no goal"), "{run:?}");
}

#[test]
fn every_shell_gets_completions_and_every_verb_a_page() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = ended(0, &["completions", shell]);
        assert!(stdout(&run).contains("enumerate") && stdout(&run).contains("solutions-from"));
    }
    let page = output(&["man"]);
    assert!(stdout(&page).contains(".TH omnogram 1"), "{page:?}");
    let page = output(&["man", "show"]);
    assert!(stdout(&page).contains(".TH omnogram-show 1"), "{page:?}");
    let folder = Scratch::new("manual");
    let run = output(&["man", "--dir", folder.to_str().expect("a name")]);
    assert_printed(&run, 0, "");
    for verb in ["", "-solve", "-show", "-count", "-completions", "-man"] {
        assert!(folder.join(format!("omnogram{verb}.1")).is_file(), "{verb}");
    }
}
