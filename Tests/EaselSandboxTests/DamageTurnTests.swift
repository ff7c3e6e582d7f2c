import EaselCore
import EaselTestCorpus
import Testing

/// The levels at which a sandbox decodes the damaged files of the corpus.
struct DamageTurnTests {
  @Test(arguments: [(DamageTurn.fewest - 1, false), (100, true)])
  func fewFilesAndThoseOfALongRunAreDecodedAtAllLevels(count: Int, isLongRun: Bool) {
    for index in 0..<count {
      let turn = DamageTurn(at: index, of: count, isLongRun: isLongRun)
      #expect(DamagePolicy.allCases.allSatisfy(turn.includes))
    }
  }

  @Test func ofManyFilesEachHasItsTurnAtOneLevelAndNoLevelIsLeftOut() {
    let turns = (0..<30).map { DamageTurn(at: $0, of: 30, isLongRun: false) }
    #expect(turns.allSatisfy { turn in DamagePolicy.allCases.count(where: turn.includes) == 1 })
    for level in DamagePolicy.allCases { #expect(turns.count(where: { $0.includes(level) }) == 10) }
  }

  @Test func ofManyFilesEveryFourthHasItsTurn() {
    let (few, many) = (Array(0..<DamageTurn.fewest - 1), Array(0..<100))
    #expect(DamageTurn.files(of: few, isLongRun: false) == few && DamageTurn.files(of: many, isLongRun: true) == many)
    #expect(DamageTurn.files(of: many, isLongRun: false) == Array(stride(from: 0, to: 100, by: 4)))
  }
}
