//! Tests of the Gmsh reader.

use super::reader::MAX_GROUPS;
use super::{GmshError, read};
use crate::mesh::{Mesh, Shape};

/// Two unit squares side by side, the right one clockwise; nodes 10, 20 … in two rows.
const FOUR: &str = r#"$MeshFormat
4.1 0 8
$EndMeshFormat
$Comments
anything at all, $Nodes too
$EndComments
$PhysicalNames
4
0 4 "corner point"
1 3 "left"
2 1 "body"
2 2 "über"
$EndPhysicalNames
$Entities
1 2 2 0
1 0 0 0 1 4
1 0 0 0 0 1 0 2 -3 9 2 1 -2
2 0 0 0 2 0 0 0 2 1 -2
1 0 0 0 1 1 0 2 1 2 0
2 1 0 0 2 1 0 1 1 0
$EndEntities
$Nodes
2 6 10 60
0 1 0 1
10
0 0 0
2 1 1 5
20
30
40
50
60
1 0 0 0.5 0.5
2 0 0 0.5 0.5
0 1 0 0.5 0.5
1 1 0 0.5 0.5
2 1 0 0.5 0.5
$EndNodes
$Elements
5 5 1 5
0 1 15 1
1 10
1 1 1 1
2 40 10
1 2 1 1
3 10 20
2 1 3 1
4 10 20 50 40
2 2 3 1
5 20 50 60 30
$EndElements
$Periodic
0
$EndPeriodic
"#;

const TWO: &str = r#"$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
0 4 "corner point"
1 3 "left"
2 1 "body"
2 2 "über"
$EndPhysicalNames
$Nodes
6
10 0 0 0
20 1 0 0
30 2 0 0
40 0 1 0
50 1 1 0
60 2 1 0
$EndNodes
$Elements
7
1 15 2 4 1 10
2 1 2 3 1 40 10
3 1 2 9 1 40 10
4 1 2 0 2 10 20
5 3 2 1 1 10 20 50 40
5 3 2 2 1 10 20 50 40
6 3 2 1 2 20 50 60 30
$EndElements
"#;

fn check_two_quads(mesh: &Mesh) {
    assert_eq!(mesh.node_ids, [10, 20, 30, 40, 50, 60]);
    assert_eq!(mesh.nodes[4], [1.0, 1.0]);
    assert_eq!(mesh.groups, ["left", "body"]);
    let shapes: Vec<_> = mesh.cells.iter().map(|cell| (cell.shape, cell.group)).collect();
    let expected =
        [(Shape::Line([3, 0]), 0), (Shape::Quad([0, 1, 4, 3]), 1), (Shape::Quad([1, 2, 5, 4]), 1)];
    assert_eq!(shapes, expected);
    let names: Vec<_> = mesh.sets.keys().collect();
    assert_eq!(names, ["corner point", "left", "physical_9", "body", "über"]);
    assert_eq!(mesh.sets["corner point"].nodes, [0]);
    assert_eq!(mesh.sets["left"].edges, [[3, 0]]);
    assert_eq!(mesh.sets["physical_9"], mesh.sets["left"]);
    assert_eq!(mesh.sets["body"].nodes, [0, 1, 4, 3, 5, 2]);
    assert!(mesh.sets["body"].edges.is_empty());
    assert_eq!(mesh.sets["über"].nodes, [0, 1, 4, 3]);
}

#[test]
fn reads_version_four() {
    let mesh = read(FOUR.as_bytes()).unwrap();
    check_two_quads(&mesh);
    assert_eq!(mesh.cells[2].id, 5);
}

#[test]
fn reads_version_two() {
    let mesh = read(TWO.as_bytes()).unwrap();
    check_two_quads(&mesh);
    assert_eq!(mesh.cells[2].id, 6);
}

#[test]
fn reads_windows_line_ends_and_byte_order_mark() {
    for text in [FOUR, TWO] {
        let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        check_two_quads(&read(text.as_bytes()).unwrap());
    }
}

#[test]
fn one_name_in_two_dimensions_is_one_set() {
    let mesh = read(TWO.replace("corner point", "left").as_bytes()).unwrap();
    assert_eq!(mesh.sets["left"].nodes, [0, 3]);
    assert_eq!(mesh.sets["left"].edges, [[3, 0]]);
}

#[test]
fn repeated_element_under_a_new_number_is_one_cell() {
    let text = TWO.replace("\n5 3 2 2 1 ", "\n7 3 2 2 1 ");
    check_two_quads(&read(text.as_bytes()).unwrap());
}

#[test]
fn quads_without_group_are_ungrouped() {
    let text = TWO.replace("6 3 2 1 2", "6 3 0");
    let mesh = read(text.as_bytes()).unwrap();
    assert_eq!(mesh.groups[mesh.cells[2].group], "ungrouped");
    assert!(!mesh.sets.contains_key("ungrouped"));
    let start = FOUR.find("$Entities").unwrap();
    let end = FOUR.find("$Nodes\n2").unwrap();
    let mesh = read(format!("{}{}", &FOUR[..start], &FOUR[end..]).as_bytes()).unwrap();
    assert_eq!(mesh.groups, ["ungrouped"]);
    assert_eq!(mesh.cells.len(), 2);
    assert!(mesh.sets.is_empty());
}

/// Checks that the message contains all of the given parts.
fn refused(bytes: &[u8], parts: &[&str]) {
    let message = read(bytes).expect_err("the file is wrong").to_string();
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in `{message}`");
    }
}

/// Puts one text for another, once, and checks the message.
fn refused_after(text: &str, from: &str, to: &str, parts: &[&str]) {
    assert!(text.contains(from), "`{from}` is not in the file");
    refused(text.replacen(from, to, 1).as_bytes(), parts);
}

#[test]
fn refuses_files_of_another_kind() {
    refused(b"", &["line 1", "empty"]);
    refused(b" \n\n", &["empty", "export"]);
    refused(b"solid cube\n", &["line 1", "solid cube", "no Gmsh mesh"]);
    refused(&[0xff; 1000], &["line 1", "no Gmsh mesh"]);
    refused_after(FOUR, "4.1 0 8", "4.1 1 8", &["line 2", "binary", "Mesh.Binary = 0"]);
    refused_after(FOUR, "4.1 0 8", "4.1 7 8", &["line 2", "`7`"]);
    for version in ["4", "4.0", "4.2", "2.1", "2", "1", "x"] {
        let header = format!("{version} 0 8");
        refused_after(FOUR, "4.1 0 8", &header, &["line 2", version, "MshFileVersion"]);
    }
    let mut bytes = TWO.as_bytes().to_vec();
    let place = TWO.find("corner").unwrap();
    bytes[place] = 0xff;
    refused(&bytes, &["line 6", "UTF-8"]);
}

#[test]
fn refuses_large_garbage_at_once() {
    let start = std::time::Instant::now();
    refused(&vec![b'x'; 100_000_000], &["no Gmsh mesh"]);
    refused(&vec![0; 100_000_000], &["no Gmsh mesh"]);
    refused(&vec![b' '; 100_000_000], &["no Gmsh mesh"]);
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn refuses_other_element_types() {
    let recombine = "Mesh.RecombineAll = 1";
    let order = "Mesh.ElementOrder = 1";
    let cases = [
        (2, "triangle", recombine),
        (8, "quadratic", order),
        (9, "quadratic", order),
        (10, "nine-node", order),
        (16, "eight-node", order),
        (4, "tetrahedron", "dimension 2"),
        (5, "hexahedron", "dimension 2"),
        (6, "prism", "dimension 2"),
        (7, "pyramid", "dimension 2"),
        (11, "volume", "dimension 2"),
        (21, "order three", order),
        (999, "another kind", "four-node"),
    ];
    for (code, words, advice) in cases {
        let two = format!("6 {code} 2 1 2");
        refused_after(TWO, "6 3 2 1 2", &two, &["line 28", "element 6", words, advice]);
        let four = format!("2 2 {code} 1\n5 ");
        refused_after(FOUR, "2 2 3 1\n5 ", &four, &["element 5", words, advice]);
    }
}

#[test]
fn refuses_wrong_nodes() {
    let again = "export";
    let first = ["line 14", "node 10", "line 13", again];
    refused_after(TWO, "\n20 1 0 0", "\n10 1 0 0", &first);
    refused_after(FOUR, "\n20\n30", "\n10\n30", &["node 10", "already", again]);
    for value in ["nan", "inf", "1e999", "x"] {
        let line = format!("\n20 1 {value} 0");
        refused_after(TWO, "\n20 1 0 0", &line, &["line 14", "node 20", value, again]);
    }
    refused_after(TWO, "\n20 1 0 0", "\n20 1 0", &["line 14", "node 20", "end of line"]);
    refused_after(TWO, "\n20 1 0 0", "\n20 1 0 0 0", &["line 14", "end of line"]);
    refused_after(TWO, "\n20 1 0 0", "\n20 1 0 1e-8", &["line 14", "node 20", "z = 0"]);
    assert!(read(TWO.replace("\n20 1 0 0", "\n20 1 0 1e-9").as_bytes()).is_ok());
}

#[test]
fn refuses_wrong_elements() {
    let quad = "\n6 3 2 1 2 20 50 60 30";
    refused_after(TWO, quad, "\n6 3 2 1 2 20 50 60 31", &["line 28", "element 6", "node 31"]);
    refused_after(TWO, quad, "\n6 3 2 1 2 20 50 60 50", &["element 6", "node 50 twice"]);
    refused_after(TWO, quad, "\n5 3 2 1 2 20 50 60 30", &["element 5", "line 26"]);
    refused_after(TWO, quad, "\n6 3 2 1 2 20 50 60", &["line 28", "element 6"]);
    refused_after(TWO, quad, "\n6 3 2 1 2 20 50 60 30 9", &["line 28", "`9`"]);
    refused_after(TWO, quad, "\n6 3 2 1", &["line 28", "element 6"]);
    // Version 4.1 never repeats a number, not even on the same nodes.
    let block = "2 2 3 1\n5 20 50 60 30";
    refused_after(FOUR, block, "2 2 3 1\n4 10 20 50 40", &["element 4", "already"]);
    refused_after(FOUR, block, "2 7 3 1\n5 20 50 60 30", &["entity 7", "unpartitioned"]);
}

#[test]
fn refuses_unused_nodes() {
    let extra = "12\n91 0 0 0\n92 0 0 0\n93 0 0 0\n94 0 0 0\n95 0 0 0\n96 0 0 0\n10 0 0 0";
    let parts = ["line 13", "node 91", "6 such nodes", "[91, 92, 93, 94, 95]", "SaveAll"];
    refused_after(TWO, "6\n10 0 0 0", extra, &parts);
}

#[test]
fn refuses_files_without_cells() {
    let header = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
    refused(header.as_bytes(), &["line 3", "without quads"]);
    let end = TWO.find("$Elements").unwrap();
    refused(&TWO.as_bytes()[..end], &["line 19", "without quads"]);
}

#[test]
fn refuses_damaged_sections() {
    refused_after(FOUR, "5 5 1 5", "5 6 1 5", &["6 entries", "hold 5"]);
    refused_after(FOUR, "2 6 10 60", "2 7 10 60", &["7 entries", "hold 6"]);
    refused_after(TWO, "$Nodes\n6", "$Nodes\n5", &["line 18", "$EndNodes"]);
    refused_after(TWO, "$Nodes\n6", "$Nodes\n7", &["line 19", "a node number"]);
    refused_after(TWO, "$EndNodes\n", "", &["line 19", "$EndNodes"]);
    refused_after(TWO, "$Nodes\n6", "stray\n$Nodes\n6", &["line 11", "`stray`"]);
    refused_after(TWO, "\"left\"", "left", &["line 7", "quotes"]);
    refused_after(TWO, "$Nodes\n6", "$Extra\n6", &["ends within $Extra"]);
    let names = "$PhysicalNames\n0\n$EndPhysicalNames\n";
    refused(format!("{TWO}{names}").as_bytes(), &["line 30", "after $Elements"]);
    let point = format!("1 0 0 0 {} 4", MAX_GROUPS + 1);
    refused_after(FOUR, "1 0 0 0 1 4", &point, &["line 16", "entity 1", "at most 64"]);
}

#[test]
fn trusts_no_count() {
    let huge = i64::MAX.to_string();
    for text in [FOUR, TWO] {
        for section in ["$Nodes\n", "$Elements\n", "$PhysicalNames\n", "$Entities\n"] {
            let Some(start) = text.rfind(section).map(|place| place + section.len()) else {
                continue;
            };
            let end = start + text[start..].find([' ', '\n']).unwrap();
            let damaged = format!("{}{huge}{}", &text[..start], &text[end..]);
            refused(damaged.as_bytes(), &["line ", "export"]);
        }
    }
    refused_after(FOUR, "2 1 1 5", &format!("2 1 1 {huge}"), &["line 33", "export"]);
    refused_after(TWO, "6 3 2 1 2", &format!("6 3 {huge} 1 2"), &["element 6"]);
    refused_after(FOUR, "0 2 1 2 0", &format!("0 {huge} 1 2 0"), &["entity 1", "64"]);
}

#[test]
fn truncation_is_an_error_at_every_byte() {
    for text in [FOUR, TWO] {
        let complete = text.find("$EndElements").unwrap() + "$EndElements".len();
        for length in 0..text.len() - 1 {
            let result = read(&text.as_bytes()[..length]);
            // All that follows the elements is optional, so a file may well end there.
            let between_sections = length == complete || length == complete + 1;
            assert_eq!(result.is_ok(), between_sections, "{length} bytes");
        }
    }
}

#[test]
fn damaged_bytes_never_panic() {
    let mut state = 1_u64;
    let mut random = |limit: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let alphabet = b"0123456789-. \n$\"eE\xff\0";
    for round in 0..6000 {
        let text = if round % 2 == 0 { FOUR } else { TWO };
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random(3) {
            let place = random(bytes.len());
            match random(3) {
                0 => bytes[place] ^= 1 << random(8),
                1 => bytes[place] = alphabet[random(alphabet.len())],
                _ => drop(bytes.remove(place)),
            }
        }
        if let Err(error) = read(&bytes) {
            assert!(error.to_string().starts_with("line "));
        }
    }
}

#[test]
fn errors_tell_nodes_from_elements() {
    let node = read(TWO.replace("\n20 1 0 0", "\n20 nan 0 0").as_bytes());
    assert!(matches!(node, Err(GmshError::Node(14, 20, _))));
    let element = read(TWO.replace("6 3 2 1 2", "6 2 2 1 2").as_bytes());
    assert!(matches!(element, Err(GmshError::Element(28, 6, _))));
    let file = read(b"");
    assert!(matches!(file, Err(GmshError::File(1, _))));
}
