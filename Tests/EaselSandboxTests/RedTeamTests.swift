import EaselCore
import EaselMisbehaving
import EaselTestTags
import Glibc
import Testing

@testable import EaselSandbox

/// Each decoder of Easel runs code of an attacker in its child: the code reaches nothing, and other pictures are right.
///
/// In usual runs each decoder tries every third misdeed, and the next one the next ones. With a chosen number of rounds
/// each tries all.
@Suite(.tags(.alone), .serialized)
struct RedTeamTests {
  private typealias T = SandboxTesting

  @Test func eachDecoderHasASample() {
    for coder in RedTeam.coders { #expect(RedTeam.sample(of: coder) != nil, "\(coder.identifier)") }
  }

  @Test func eachMisdeedHasItsTurns() {
    let (all, coders) = (RedTeam.misdeeds, RedTeam.coders.indices)
    #expect(coders.allSatisfy { RedTeam.turn(of: $0, isLongRun: true) == all })
    for misdeed in all {
      let turns = coders.count { RedTeam.turn(of: $0, isLongRun: false).contains(misdeed) }
      #expect(turns >= coders.count / 3, "\(misdeed)")
    }
  }

  @Test(arguments: RedTeam.coders.indices) func codeInADecoderReachesNothing(_ index: Int) throws {
    let bytes = try #require(RedTeam.sample(of: RedTeam.coders[index]))
    let before = T.openDescriptors
    var worker: pid_t = 0
    do {
      let sandbox = Sandbox(T.configuration())
      worker = try #require(sandbox.workerProcess())
      let coder = Sandbox.Coder(PlantedCoder(RedTeam.coders[index]), in: sandbox)
      let right = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext()).bitmap
      for misdeed in RedTeam.turn(of: index, isLongRun: T.chosenRounds != nil) {
        let error = #expect(throws: ImageError.self, "\(misdeed)") {
          try coder.decode(
            bytes, options: PlantedCoder.options(for: misdeed), work: WorkContext(limits: RedTeam.limits(for: misdeed)))
        }
        #expect(error?.code == RedTeam.code(of: misdeed), "\(misdeed): \(error as Any)")
        let next = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
        #expect(next.bitmap == right, "after \(misdeed)")
      }
      #expect(sandbox.workerProcess() == worker)
    }
    T.wait { T.processes(inGroup: worker).isEmpty }
    T.wait { T.openDescriptors <= before }
    #expect(access(Misdeed.file, F_OK) == -1)
  }
}
