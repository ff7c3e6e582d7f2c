import EaselCore
import EaselMisbehaving
import EaselTestSupport
import EaselTestTags
import Glibc
import Testing

@testable import EaselSandbox

/// Good pictures of all decoders, mixed with as many whose decoders were taken over.
@Suite(.tags(.alone), .serialized)
struct CrowdTests {
  private typealias T = SandboxTesting

  /// A decoder that may have been taken over, with a picture and what it shows.
  private struct Member: Sendable {
    let coder: Sandbox.Coder
    let bytes: ImageBytes
    let right: Bitmap

    func decode(_ misdeed: Misdeed = .nothing, _ work: WorkContext = WorkContext()) throws -> Bitmap {
      try coder.decode(bytes, options: PlantedCoder.options(for: misdeed), work: work).bitmap
    }

    /// The code of the error in which a misdeed ends; nil if it has none.
    func code(of misdeed: Misdeed, _ work: WorkContext) -> ImageError.Code? {
      do {
        _ = try decode(misdeed, work)
        return nil
      } catch {
        return (error as? ImageError)?.code
      }
    }
  }

  private static let misdeeds = RedTeam.misdeeds + (T.hasMemoryLimit ? [.allocate] : [])

  private static let lanes = 4

  /// The members, decoded once in the sandbox.
  private func members(in sandbox: Sandbox) throws -> [Member] {
    try RedTeam.coders.map { base in
      let bytes = try #require(RedTeam.sample(of: base))
      let coder = Sandbox.Coder(PlantedCoder(base), in: sandbox)
      let right = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext()).bitmap
      return Member(coder: coder, bytes: bytes, right: right)
    }
  }

  @Test func thoseTakenOverTouchNoPictureButTheirOwn() async throws {
    let count = T.chosenRounds ?? 120
    _ = T.hasMemoryLimit
    let before = T.openDescriptors
    var worker: pid_t = 0
    do {
      let sandbox = Sandbox(T.configuration())
      worker = try #require(sandbox.workerProcess())
      let members = try members(in: sandbox)
      // Only long runs compare times.
      let alone = await Self.run(good: T.chosenRounds == nil ? 0 : count / 4, bad: false, members, sandbox)
      let mixed = await Self.run(good: count, bad: true, members, sandbox)
      #expect(alone.faults + mixed.faults == [])
      #expect(sandbox.workerProcess() == worker)
      #expect(sandbox.keptProcesses <= sandbox.configuration.processes)
      if T.chosenRounds != nil {
        print("\(count) good pictures: alone \(alone.text), mixed with as many bad ones \(mixed.text)")
        #expect(mixed.most(of: 0.99) < alone.most(of: 0.99) + .milliseconds(100))
      }
    }
    T.wait { T.processes(inGroup: worker).isEmpty }
    T.wait { T.openDescriptors <= before }
    #expect(access(Misdeed.file, F_OK) == -1)
  }

  /// As many spin as there are places but one: every other picture is decoded meanwhile.
  @Test func whoSpinsHoldsUpNobody() async throws {
    var configuration = T.configuration()
    configuration.processes = Self.lanes
    let sandbox = Sandbox(configuration)
    let members = try members(in: sandbox)
    let worker = try #require(sandbox.workerProcess())
    let cancellation = Cancellation()
    let work = WorkContext(
      limits: Limits(decodeTime: .seconds(3600)), context: ImageContext(), cancellation: cancellation,
      clock: SystemClock())
    #expect(T.children(of: worker).allSatisfy { T.niceness(of: $0) == T.niceness(of: 0) })
    let codes: [ImageError.Code?] = try await withThrowingTaskGroup(of: ImageError.Code?.self) { group in
      for member in members.prefix(Self.lanes - 1) {
        group.addTask { await runBlocking { member.code(of: .hang, work) } }
      }
      // They also let others go before them as soon as they have computed for long.
      T.wait { T.children(of: worker).count { T.niceness(of: $0) >= 10 } == Self.lanes - 1 }
      for member in members { #expect(try member.decode() == member.right, "\(member.coder.identifier)") }
      cancellation.cancel()
      var codes: [ImageError.Code?] = []
      for try await code in group { codes.append(code) }
      return codes
    }
    #expect(codes == Array(repeating: .cancelled, count: Self.lanes - 1))
  }

  // MARK: Running

  private struct Outcome: Sendable {
    var faults: [String] = []
    /// The times that good pictures took.
    var times: [Duration] = []

    func most(of share: Double) -> Duration {
      times.isEmpty ? .zero : times.sorted()[min(times.count - 1, Int(Double(times.count) * share))]
    }

    var text: String {
      let shares = [("median", 0.5), ("p99", 0.99), ("longest", 1.0)]
      return shares.map { "\($0.0) \(Int(most(of: $0.1) / .microseconds(1))) µs" }.joined(separator: ", ")
    }
  }

  /// Decodes on threads of their own, because decoding blocks.
  private static func run(good: Int, bad: Bool, _ members: [Member], _ sandbox: Sandbox) async -> Outcome {
    let numbered = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    return await withTaskGroup(of: Outcome.self) { group in
      for lane in 0..<lanes {
        let numbers = Array(stride(from: lane, to: good, by: lanes))
        group.addTask { await runBlocking { outcome(of: numbers, bad: bad, members, numbered) } }
      }
      return await group.reduce(into: Outcome()) {
        $0.faults += $1.faults
        $0.times += $1.times
      }
    }
  }

  private static func outcome(
    of numbers: [Int], bad: Bool, _ members: [Member], _ numbered: Sandbox.Coder
  ) -> Outcome {
    var outcome = Outcome()
    for number in numbers {
      let start = ContinuousClock.now
      if let fault = fault(ofGood: number, members, numbered) { outcome.faults.append(fault) }
      outcome.times.append(ContinuousClock.now - start)
      if bad, let fault = fault(ofBad: number, members, numbered) { outcome.faults.append(fault) }
    }
    return outcome
  }

  /// The samples in turn, and between them pictures that each have pixels of their own.
  private static func fault(ofGood number: Int, _ members: [Member], _ numbered: Sandbox.Coder) -> String? {
    do {
      let member = members[number / 2 % members.count]
      let (bitmap, right) =
        number % 2 == 0
        ? (try member.decode(), member.right)
        : (
          try numbered.decode(Misdeed.nothing.bytes(number: number), options: DecodeOptions(), work: WorkContext())
            .bitmap, try MisbehavingCoder.picture(number: number)
        )
      return bitmap == right ? nil : "good picture \(number) is wrong"
    } catch {
      return "good picture \(number): \(error)"
    }
  }

  private static func fault(ofBad number: Int, _ members: [Member], _ numbered: Sandbox.Coder) -> String? {
    if number % 8 == 0 { return faultOfSpy(number, numbered) }
    let misdeed = misdeeds[number % misdeeds.count]
    let member = members[number / misdeeds.count % members.count]
    do {
      _ = try member.decode(misdeed, WorkContext(limits: RedTeam.limits(for: misdeed)))
      return "\(misdeed) of \(member.coder.identifier) gave a picture"
    } catch {
      guard (error as? ImageError)?.code != RedTeam.code(of: misdeed) else { return nil }
      return "\(misdeed) of \(member.coder.identifier): \(error)"
    }
  }

  /// A decoder that looks for the pixels and the files of others finds none.
  private static func faultOfSpy(_ number: Int, _ numbered: Sandbox.Coder) -> String? {
    do {
      let bytes = Misdeed.showOthers.bytes(number: number)
      let seen = try numbered.decode(bytes, options: DecodeOptions(), work: WorkContext()).bitmap
      return seen.withUnsafeBytes { $0.allSatisfy { $0 == 0 } } ? nil : "spy \(number) saw something of others"
    } catch {
      return "spy \(number): \(error)"
    }
  }
}
