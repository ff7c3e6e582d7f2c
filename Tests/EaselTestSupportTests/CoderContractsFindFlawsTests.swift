import EaselTestSupport
import Testing

/// Each rule of coders and formats that takes no patience to find is broken once.
struct CoderContractsFindFlawsTests {
  @Test(arguments: ImageCoderContract.Rule.allCases.filter { $0 != .ends && $0 != .isSafeForManyThreads })
  func coder(rule: ImageCoderContract.Rule) async throws {
    let contract = ImageCoderContract(FlawedCoder(rule), samples: try ToySamples.all())
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: ProgressiveCoderContract.Rule.allCases.filter { $0 != .ends })
  func progressiveCoder(rule: ProgressiveCoderContract.Rule) async throws {
    let contract = ProgressiveCoderContract(FlawedProgressiveCoder(rule), samples: try ToySamples.all())
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: FormatContract.Rule.allCases.filter { $0 != .ends })
  func format(rule: FormatContract.Rule) async throws {
    let contract = FormatContract(FlawedFormatCoder(rule), try FlawedFormatCoder.description(rule))
    expectBroken(rule, in: await contract.check(rule))
  }
}
