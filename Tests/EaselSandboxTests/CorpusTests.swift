import EaselEverything
import EaselCore
import EaselTestCorpus
import EaselTestSupport
import EaselTestTags
import Testing

/// In the sandbox every picture of the corpus gives the result of its manifest, too.
@Suite(.tags(.alone), .enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  /// Large pictures take more memory than other tests allow.
  private static let sandbox = Sandbox(SandboxTesting.configuration(memoryBytes: 1 << 30))

  /// A format's checks of the coder in the sandbox, and of the same coder outside.
  private struct Pair: Sendable {
    let outside: CorpusChecks
    let inside: CorpusChecks
    let sandboxed: Sandbox.Coder
  }

  private static let all: [Pair] = {
    let coders: [any ImageCoder] = CoderRegistry.everything.coders.reversed()
    return coders.compactMap { coder in
      let sandboxed = Sandbox.Coder(coder, in: sandbox)
      guard let outside = CorpusChecks(of: coder), let inside = CorpusChecks(of: coder, checked: sandboxed) else {
        return nil
      }
      // A sanitizer sees nothing of the libraries of others, and their large pictures take minutes under it.
      guard SandboxTesting.hasMemoryLimit || formatsOfTheHouse.contains(outside.format) else { return nil }
      return Pair(outside: outside, inside: inside, sandboxed: sandboxed)
    }
  }()

  private static let formatsOfTheHouse: Set = ["gif", "qoi", "pnm", "bmp", "ico"]

  @Test func everyFileGivesWhatItsManifestSays() async {
    #expect(await Self.failures { $0.inside.everyPicture() + $0.inside.readFromFiles() } == [])
  }

  /// A library may read a file piece by piece, or have all of it in memory, and must not differ about its damage.
  @Test func everyDamagedFileEndsAlikeHoweverItsBytesArrive() async {
    let failures = await Self.failures {
      $0.outside.outcomes(with: $0.sandboxed) + $0.outside.outcomesOfCopies(with: $0.sandboxed)
    }
    #expect(failures == [])
  }

  @Test func eachLevelShowsOfDamagedFilesWhatTheOneBeforeShows() async {
    #expect(await Self.failures { $0.outside.levels() } == [])
  }

  /// The faults that a check finds in all formats, which go side by side, because no other test runs meanwhile.
  private static func failures(_ check: @escaping @Sendable (Pair) -> [String]) async -> [String] {
    await withTaskGroup(of: [String].self) { group in
      for pair in all {
        group.addTask { await runBlocking { check(pair) } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
  }
}
