import EaselCore
import EaselMisbehaving
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselSandbox

/// Thousands of pictures, good and bad ones mixed, leave nothing behind.
@Suite(.tags(.alone), .serialized)
struct EnduranceTests {
  private typealias T = SandboxTesting

  private static let misdeeds = Misdeed.failing.filter { $0 != .allocate || T.hasMemoryLimit }

  private static let codes: [Misdeed: ImageError.Code] = {
    var codes: [Misdeed: ImageError.Code] = [
      .allocate: .limitExceeded, .lieAboutFrames: .limitExceeded, .closeSocket: .decoderCrashed,
    ]
    for (misdeed, code, _) in MisdeedTests.expectations { codes[misdeed] = code }
    return codes
  }()

  private static let rounds = T.chosenRounds ?? 200

  @Test func everyBadPictureIsAnErrorAndEveryGoodOneRight() async throws {
    let sandbox = Sandbox(T.configuration(memoryBytes: 64 << 20))
    let coder = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    try sandbox.start()
    // Whatever is made once is made now, if memory is measured.
    if T.chosenRounds != nil { _ = await Self.faults(of: 0..<200, coder) }
    let before = (memory: T.residentBytes, descriptors: T.openDescriptors)
    #expect(await Self.faults(of: 0..<Self.rounds, coder) == [])
    #expect(sandbox.keptProcesses <= sandbox.configuration.processes)
    guard T.chosenRounds != nil else { return }
    // Some files are kept for the next pictures for some seconds.
    T.wait { T.openDescriptors <= before.descriptors }
    let memory = T.residentBytes
    print("memory \(before.memory >> 20) MiB before, \(memory >> 20) MiB after \(Self.rounds) pictures")
    #expect(memory < before.memory + 16 << 20)
  }

  /// Decodes the pictures on four threads of their own, because decoding blocks.
  private static func faults(of numbers: Range<Int>, _ coder: Sandbox.Coder) async -> [String] {
    await withTaskGroup(of: [String].self) { group in
      for lane in 0..<4 {
        group.addTask {
          await runBlocking {
            stride(from: numbers.lowerBound + lane, to: numbers.upperBound, by: 4).compactMap { fault(of: $0, coder) }
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
  }

  private static func fault(of number: Int, _ coder: Sandbox.Coder) -> String? {
    let isGood = number % 2 == 0
    let misdeed = isGood ? .nothing : misdeeds[number / 2 % misdeeds.count]
    var limits = Limits()
    if codes[misdeed] == .limitExceeded, ![.allocate, .growOutput, .lieAboutFrames].contains(misdeed) {
      limits.decodeTime = .milliseconds(200)
    }
    do {
      let work = WorkContext(limits: limits)
      let image = try coder.decode(misdeed.bytes(number: number), options: DecodeOptions(), work: work)
      guard isGood else { return "\(misdeed) gave a picture" }
      return image.bitmap == (try MisbehavingCoder.picture(number: number)) ? nil : "picture \(number) is wrong"
    } catch {
      guard isGood || (error as? ImageError)?.code != codes[misdeed] else { return nil }
      return "\(misdeed), picture \(number): \(error)"
    }
  }

  @Test func noDescriptorIsLeft() throws {
    func decodeMany(_ coder: Sandbox.Coder) {
      for number in 0..<40 {
        let misdeed = number % 2 == 0 ? Misdeed.nothing : .crash
        _ = try? coder.decode(misdeed.bytes(number: number), options: DecodeOptions(), work: WorkContext())
      }
    }
    let before = try files()
    decodeMany(Sandbox.Coder(MisbehavingCoder(), in: Sandbox(T.configuration())))
    // The sandboxes of other tests that run meanwhile have files too, but close each of them sooner or later.
    let more = try files().subtracting(before)
    T.wait { (try? files().isDisjoint(with: more)) == true }
  }

  /// The numbers of the open files of sandboxes.
  private func files() throws -> Set<ino_t> {
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return Set(
      names.compactMap { name in
        let path = "/proc/self/fd/\(name)"
        var status = stat()
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        return target?.contains("memfd:easel") == true && stat(path, &status) == 0 ? status.st_ino : nil
      })
  }
}
