import EaselEverything
import EaselCore
import EaselSupport
import EaselTestCorpus
import EaselTestSupport
import EaselTestTags
import Testing

/// In the sandbox every picture of the corpus gives the result of its manifest, too.
///
/// Usual runs take every fourth file, because each one costs a process. Their coders decode all of them in other tests.
@Suite(.tags(.alone), .enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  /// A sandbox for each processor.
  ///
  /// A child prepares itself for a picture of the coder that had the one before, so that formats that take turns in one
  /// sandbox cost several times as much. Large pictures take more memory than other tests allow.
  private static let sandboxes = (0..<CPUBudget.processors).map { _ in
    Sandbox(SandboxTesting.configuration(memoryBytes: 1 << 30))
  }

  /// A format's checks of the coder in the sandbox, and of the same coder outside.
  private struct Pair: Sendable {
    let outside: CorpusChecks
    let inside: CorpusChecks
    let sandboxed: Sandbox.Coder

    init?(_ coder: any ImageCoder, in sandbox: Sandbox) {
      sandboxed = Sandbox.Coder(coder, in: sandbox)
      guard let outside = CorpusChecks(of: coder, takesTurns: true),
        let inside = CorpusChecks(of: coder, checked: sandboxed, takesTurns: true)
      else { return nil }
      // A sanitizer sees nothing of the libraries of others, and their large pictures take minutes under it.
      guard SandboxTesting.hasMemoryLimit || CorpusTests.formatsOfTheHouse.contains(outside.format) else { return nil }
      (self.outside, self.inside) = (outside, inside)
    }
  }

  private static let formatsOfTheHouse: Set = ["gif", "qoi", "pnm", "bmp", "ico"]

  @Test func everyFileGivesWhatItsManifestSays() async {
    #expect(await Self.failures { $0.inside.everyPicture() } == [])
  }

  @Test func sideBySideInOneSandboxAllFormatsAreRightFromFilesToo() async {
    #expect(await Self.failuresSideBySide { $0.inside.readFromFiles() } == [])
  }

  /// A library may read a file piece by piece, or have all of it in memory, and must not differ about its damage.
  @Test func everyDamagedFileEndsAlikeHoweverItsBytesArrive() async {
    let failures = await Self.failures {
      $0.outside.outcomes(with: $0.sandboxed) + $0.outside.outcomesOfCopies(with: $0.sandboxed)
    }
    #expect(failures == [])
  }

  /// The faults that a check finds in all formats, which share one sandbox at the same time.
  private static func failuresSideBySide(_ check: @escaping @Sendable (Pair) -> [String]) async -> [String] {
    await withTaskGroup(of: [String].self) { group in
      for pair in CoderRegistry.everything.coders.compactMap({ Pair($0, in: sandboxes[0]) }) {
        group.addTask { await runBlocking { check(pair) } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// The faults that a check finds in all formats; each sandbox takes one after the other, until none is left.
  private static func failures(_ check: @escaping @Sendable (Pair) -> [String]) async -> [String] {
    let left = Locked(CoderRegistry.everything.coders)
    return await withTaskGroup(of: [String].self) { group in
      for sandbox in sandboxes {
        group.addTask { await runBlocking { failures(of: left, in: sandbox, check) } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
  }

  private static func failures(
    of left: Locked<[any ImageCoder]>, in sandbox: Sandbox, _ check: (Pair) -> [String]
  ) -> [String] {
    var failures: [String] = []
    while let coder = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      if let pair = Pair(coder, in: sandbox) { failures += check(pair) }
    }
    return failures
  }
}
