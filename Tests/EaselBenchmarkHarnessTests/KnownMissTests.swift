import EaselBenchmarkHarness
import FoundationEssentials
import Testing

struct KnownMissTests {
  @Test func aListIsReadLineByLine() throws {
    let misses = try KnownMiss.list(
      "# for readers\n\ntime\t1.5\tcurl: load / C\tCurl\nmemory\t0.5\tjob: one / pyvips\tJobs\n")
    #expect(misses.map(\.title) == ["curl: load / C", "job: one / pyvips"])
    #expect(misses.map(\.cost) == [.time, .memory])
    #expect(misses.map(\.highestRatio) == [1.5, 0.5])
    #expect(misses.map(\.heading) == ["Curl", "Jobs"])
    #expect(try KnownMiss.list("").isEmpty)
  }

  @Test(arguments: [
    "time\t1.5\tcurl: load / C", "space\t1.5\tcurl: load / C\tCurl", "time\tmuch\tcurl: load / C\tCurl",
    "time\t0\tcurl: load / C\tCurl", "time\tnan\tcurl: load / C\tCurl", "time\t1.5\t\tCurl",
    "time\t1.5\tcurl: load / C\t", "time 1.5 curl: load / C Curl", "time\t1.5\tcurl: load / C\tCurl\tmore",
  ])
  func aLineThatIsNotUnderstoodIsNamed(line: String) {
    let mistake = #expect(throws: KnownMiss.Mistake.self) { try KnownMiss.list("# first\n\(line)") }
    #expect(mistake?.description.hasPrefix("line 2 of the known misses is \"\(line)\"; write ") == true)
  }

  @Test func aCaseMayMissTwoBarsAndEachOnce() throws {
    let line = "time\t1.5\tcurl: load / C\tCurl\n"
    #expect(try KnownMiss.list(line + "memory\t1.5\tcurl: load / C\tCurl").count == 2)
    let mistake = #expect(throws: KnownMiss.Mistake.self) { try KnownMiss.list(line + line) }
    #expect(mistake?.description == "line 2 of the known misses names the time of curl: load / C once more")
  }

  @Test func aListThatIsNotThereIsNamed() {
    let mistake = #expect(throws: KnownMiss.Mistake.self) { try KnownMiss.list(at: "/nowhere/misses.tsv") }
    #expect(
      mistake?.description == "the known misses in /nowhere/misses.tsv cannot be read; run this in the checkout")
  }

  @Test func everyKnownMissOfEaselHasItsReasonInTheNotes() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Benchmarks"
    let notes = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/NOTES.md")), as: UTF8.self)
    let headings = Set(
      notes.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) })
    let misses = try KnownMiss.list(at: "\(folder)/known-misses.tsv")
    for miss in misses {
      #expect(headings.contains(miss.heading[...]), "NOTES.md has no heading \"\(miss.heading)\" for \(miss.title)")
    }
  }
}
