/// The places of a file at which a test tries something, such as cutting it off or changing a byte.
///
/// In a long run these are all places. Otherwise they are all of a short file, and all near the ends of a longer one; of those
/// between them every third, beginning at one that depends on the turn. So files of three turns have them all.
package struct PlacesInTurn: Sequence {
  /// How many places at each end count in any case.
  package static let ends = 24
  /// How many turns it takes to have all places.
  package static let turns = 3

  private let places: [Int]

  /// Creates the places of a file of this length.
  package init(upTo count: Int, turn: Int = 0, isLongRun: Bool = LongRun.isOn) {
    places = (0..<count).filter {
      isLongRun || $0 < Self.ends || $0 >= count - Self.ends || $0 % Self.turns == turn % Self.turns
    }
  }

  package func makeIterator() -> IndexingIterator<[Int]> { places.makeIterator() }
}
