import EaselTestPixels
import Testing

/// The places of damage that usual runs try in turn.
struct PlacesInTurnTests {
  private func places(_ count: Int, _ turn: Int, isLongRun: Bool = false) -> Set<Int> {
    Set(PlacesInTurn(upTo: count, turn: turn, isLongRun: isLongRun))
  }

  @Test func threeTurnsHaveAllPlaces() {
    let turns = (0..<PlacesInTurn.turns).map { places(500, $0) }
    #expect(turns.reduce([]) { $0.union($1) } == Set(0..<500))
    #expect(turns.allSatisfy { $0.count < 500 / 3 + 2 * PlacesInTurn.ends })
  }

  @Test func bothEndsHaveTheirTurnInEachRun() {
    let ends = Set(0..<PlacesInTurn.ends).union(500 - PlacesInTurn.ends..<500)
    for turn in 0..<7 { #expect(places(500, turn).isSuperset(of: ends)) }
  }

  @Test(arguments: [0, 1, 2 * PlacesInTurn.ends]) func ofAShortFileAllPlacesCount(_ count: Int) {
    #expect(places(count, 1) == Set(0..<count))
  }

  @Test func aLongRunHasAllPlaces() {
    #expect(places(500, 1, isLongRun: true) == Set(0..<500))
  }

  @Test(.enabled(if: !LongRun.isOn)) func wrongBytesAreThoseOfTheTurn() {
    let file = [UInt8](repeating: 0, count: 200)
    func wrong(_ turn: Int?) -> [Int] { WrongBytes(of: file, turn: turn).compactMap { $0.firstIndex { $0 != 0 } } }
    #expect(wrong(nil) == Array(0..<200))
    for turn in 0..<3 { #expect(wrong(turn) == Array(PlacesInTurn(upTo: 200, turn: turn))) }
    // Neighbours are wrong in other ways, in each turn.
    #expect(Set(WrongBytes(of: file, turn: 2).map { $0.reduce(0, |) }).count == 4)
  }
}
