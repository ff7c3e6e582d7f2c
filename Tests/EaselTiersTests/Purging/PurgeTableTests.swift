import EaselCore
import Testing

@testable import EaselTiers

/// The numbers of purges, and the bound of their table.
struct PurgeTableTests {
  private static let cat = "https://host/cats/a.jpg"

  private func table(_ purges: (Purge, UInt64)...) -> PurgeTable {
    var table = PurgeTable()
    for (purge, number) in purges { table.note(purge, number) }
    return table
  }

  @Test func theNewestPurgeThatConcernsASourceGivesItsNumber() {
    let table = table(
      (.source(Self.cat), 3), (.sources(beginningWith: "https://host/cats/"), 5),
      (.sources(beginningWith: "https://h"), 2),
      (.tag("big"), 7), (.source("https://host/dogs/b.jpg"), 9))
    #expect(table.number(of: Self.cat) == 5)
    #expect(table.number(of: Self.cat, tags: ["small", "big"]) == 7)
    #expect(table.number(of: "https://host/dogs/b.jpg") == 9)
    #expect(table.number(of: "https://host/dogs/c.jpg") == 2 && table.number(of: "http://host/") == 0)
    #expect(table.latest == 9 && table.latestTag == 7)
  }

  @Test func everythingConcernsEverything() {
    let table = table((.source(Self.cat), 3), (.everything, 4))
    #expect(table.number(of: Self.cat) == 4 && table.number(of: "local:///x") == 4)
    #expect(self.table().number(of: Self.cat) == 0)
  }

  @Test func anOlderNumberChangesNothing() {
    var table = table((.source(Self.cat), 8))
    table.note(.source(Self.cat), 5)
    #expect(table.number(of: Self.cat) == 8 && table.latest == 8)
  }

  @Test(arguments: [
    (Purge.source("https://host/a/b/c.jpg"), "p:https://host/a/b/"),
    (Purge.source("https://host/c.jpg"), "p:https://host/"),
    (Purge.source("https://host/"), "*"), (Purge.sources(beginningWith: "https://host/a/b/"), "p:https://host/a/"),
    (Purge.sources(beginningWith: "https://host/a/b"), "p:https://host/a/"),
    (Purge.sources(beginningWith: "https://ho"), "*"),
    (Purge.source("local:///a.jpg"), "p:local:///"), (Purge.tag("x"), "*"), (Purge.everything, "*"),
    (Purge.source("nonsense"), "*"),
  ])
  func theNextWiderPurgeRemovesMore(purge: Purge, wider: String) {
    #expect(purge.wider.name == wider)
  }

  @Test(arguments: ["u:https://host/a.jpg", "p:https://host/", "t:cats", "*"])
  func aPurgeIsOneWord(name: String) {
    #expect(Purge(name: name)?.name == name)
  }

  @Test(arguments: [
    "", "u:", "x:a", "u:a b", "t:caf\u{e9}", "u:a\nb", "u:\(String(repeating: "a", count: 5000))", "ua",
  ])
  func otherWordsAreNone(name: String) {
    #expect(Purge(name: name) == nil)
  }

  @Test func aTableKeepsItsBoundAndForgetsNoPurge() {
    var table = PurgeTable()
    for number in 1...200 {
      table.note(.source("https://host\(number % 3)/d\(number % 7)/\(number).jpg"), UInt64(number))
      let before = table
      if let folding = table.folding(to: 50) {
        #expect(table.numbers.count > 50)
        table.apply(folding)
      }
      #expect(table.numbers.count <= 50)
      #expect(before.purges(notIn: table).isEmpty, "No source has a lower number than before.")
      #expect(table.latest == UInt64(number))
    }
    // The newest are still known one by one.
    #expect(table.numbers[.source("https://host\(200 % 3)/d\(200 % 7)/200.jpg")] == 200)
    #expect(table.number(of: "https://other/a.jpg") < 200)
  }

  @Test func aTableWithoutRoomPurgesEverything() {
    var table = PurgeTable()
    for number in 1...12 { table.note(.tag("t\(number)"), UInt64(number)) }
    table.apply(table.folding(to: 10)!)
    #expect(table.numbers.count <= 9 && table.numbers[.everything] ?? 0 >= 3)
    #expect(table.numbers[.tag("t12")] == 12 && table.latestTag == 12)
    #expect(table.folding(to: 10) == nil)
  }

  @Test func whatAnotherTableLacksIsFound() {
    let mine = table((.source(Self.cat), 3), (.tag("x"), 4), (.sources(beginningWith: "https://host/dogs/"), 5))
    #expect(mine.purges(notIn: mine).isEmpty && mine.purges(notIn: PurgeTable()) == mine.numbers)
    let folded = table((.sources(beginningWith: "https://host/"), 5), (.everything, 4))
    #expect(mine.purges(notIn: folded).isEmpty)
    let older = table((.source(Self.cat), 2), (.tag("x"), 4), (.sources(beginningWith: "https://host/dogs/a"), 9))
    #expect(mine.purges(notIn: older) == [.source(Self.cat): 3, .sources(beginningWith: "https://host/dogs/"): 5])
  }

  @Test func aFileHoldsATable() throws {
    var table = table(
      (.source(Self.cat), 3), (.sources(beginningWith: "https://h/"), UInt64.max), (.tag("x"), 4), (.everything, 1))
    table.note(latest: 9, latestTag: 6)
    #expect(PurgeTable(text: table.text) == table)
    #expect(PurgeTable(text: PurgeTable().text) == PurgeTable())
    // A file that was cut anywhere is noticed.
    for count in 0..<table.text.utf8.count { #expect(PurgeTable(text: String(table.text.prefix(count))) == nil) }
    #expect(PurgeTable(text: table.text.replacing("3 u:", with: "x u:")) == nil)
  }
}
