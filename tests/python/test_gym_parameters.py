"""Parameters that environments of sarrus.gym keep, each its own, and points that are those of joints wherever the drawn lengths put
them; the mechanisms with tolerances of python/examples. Exit code 77 (skipped) without gymnasium or the package."""

import sys
from dataclasses import replace

try:
    import gymnasium
    import numpy as np
    import sarrus
    import sarrus.gym
    from program import SOURCE
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TASK = "FiveBarReach-v0"
TOLERANCES = str(SOURCE / "python" / "examples" / "five_bar_tolerances.yaml")
POINTS = {"tip": ("right_rod", "tip"), "elbow_left": ("left", "elbow_left"), "elbow_right": ("right", "elbow_right")}
SHORT = 6  # steps of an episode here


def native(task, n, **options):
    options = {"threads": 1, "specialize": "off", "dtype": np.float64, "max_episode_steps": SHORT} | options
    return sarrus.gym.VectorEnv(task, n, autoreset_mode="SameStep", **options)


def actions_of(n_steps, n):
    return np.random.default_rng(3).uniform(-1.0, 1.0, (n_steps, n, 2))


def refused(call, *words):
    try:
        call()
    except sarrus.ArgumentError as error:
        assert all(word in str(error) for word in words), error
        return
    raise AssertionError(f"nothing was refused; expected {words}")


def check_kept():
    """What is kept stays over episodes, each environment's own; the others are drawn as they are without it."""
    mass = np.linspace(0.2, 0.4, 5)
    env, free = native(TASK, 5, parameters={"m": mass, "c": 0.02}), native(TASK, 5)
    place = {label: i for i, label in enumerate(env.batch.parameter_labels)}
    env.reset(seed=0)
    free.reset(seed=0)
    leans = []
    for k, action in enumerate(actions_of(3 * SHORT, 5)):
        if k == 2:
            action[3] = np.nan  # ends one episode by itself
        env.step(action)
        free.step(action)
        drawn, own = free.batch.parameters, env.batch.parameters
        assert np.array_equal(own[:, place["m"]], mass) and np.all(own[:, place["c"]] == 0.02)
        assert np.array_equal(own[:, place["phi"]], drawn[:, place["phi"]])
        leans.append(drawn[:, place["phi"]])
    assert len(np.unique(np.array(leans))) == 4 * 5  # each begins three more episodes


def check_same_bits():
    """An environment that keeps what it would have drawn has the bits that it has without; alone too."""
    free = native(TASK, 4)
    first, _ = free.reset(seed=7)
    drawn = dict(zip(free.batch.parameter_labels, free.batch.parameters.T.copy(), strict=True))
    kept = native(TASK, 4, parameters=drawn)
    alone = native(TASK, 1, parameters={label: values[2:3] for label, values in drawn.items()})
    assert kept.reset(seed=7)[0].tobytes() == first.tobytes() and alone.reset(seed=9)[0].tobytes() == first[2].tobytes()
    for k, action in enumerate(actions_of(2 * SHORT, 4)):
        with_all, with_none, one = kept.step(action), free.step(action), alone.step(action[2:3])
        assert one[0].tobytes() == with_all[0][2].tobytes(), k
        same = with_all[0].tobytes() == with_none[0].tobytes()
        assert same == (k < SHORT - 1), k  # from the next episode on the others draw anew


def check_nominal():
    """Without draws the others are nominal, and what is given is there from the first episode on, forgotten by none."""
    env = native(TASK, 3, randomize=False, parameters={"phi": [0.3, 0.5, 0.7]})
    env.reset(seed=0)
    for action in actions_of(2 * SHORT, 3):
        env.step(action)
        assert np.array_equal(env.batch.parameters, [[0.3, 0.02, phi] for phi in (0.3, 0.5, 0.7)])
    env.reset()
    lean = env.batch.q[:, env.batch.model.coordinates.index("left.theta")] - np.pi / 2
    assert np.allclose(lean, [0.3, 0.5, 0.7], rtol=0, atol=1e-12)  # the mechanisms were assembled with it


def check_copied():
    """Changing one's own array afterwards changes nothing."""
    mass = np.full(2, 0.3)
    env = native(TASK, 2, parameters={"m": mass})
    mass[:] = 7.0
    env.reset(seed=0)
    assert np.all(env.batch.parameters[:, 0] == 0.3)


def check_refused():
    refused(lambda: native(TASK, 2, parameters={"mass": 0.3}), "'mass'", "m, c, phi")
    refused(lambda: native(TASK, 2, parameters={"m": [0.3, 0.3, 0.3]}), "m is one number or one for each of 2", "(3,)")
    refused(lambda: native(TASK, 2, parameters={"m": [0.3, "heavy"]}), "m")
    task = sarrus.gym.task_of(TASK)
    for at in ("elbow_right", "nowhere"):  # a joint of others, and none
        refused(lambda at=at: native(replace(task, points={**POINTS, "tip": ("left", at)}), 1), "'tip'", "left", f"{at!r}")
    refused(lambda: native(replace(task, points={"tip": ("nobody", "tip")}), 1), "'tip'")


def with_tolerances(observation):
    return replace(sarrus.gym.task_of(TASK), scenario=TOLERANCES, points=POINTS, observation=observation)


def check_joint_points():
    """The tip is one place on both rods, as well as projection holds it, whatever lengths were drawn; environments begin out of
    step, so that some keep their lengths while others get new ones. Its velocity too."""
    points = {**POINTS, "other": ("left_rod", "tip")}
    task = replace(with_tolerances(("tip", "other", "tip.v", "other.v")), points=points, max_episode_steps=1000)
    env = native(task, 6, max_episode_steps=1000, settings={"parameters.length": 0.05, "dynamics.projection": "every_step"})
    env.reset(seed=0)
    n_failed = 0
    for k, action in enumerate(actions_of(20, 6)):
        if k in (5, 11):
            action[k % 6] = np.nan
        seen, _, terminated, _, _ = env.step(action)
        n_failed += terminated.sum()
        assert np.max(np.abs(seen[:, :2] - seen[:, 2:4])) < 1e-9, k
        assert np.max(np.abs(seen[:, 4:6] - seen[:, 6:])) < 1e-8 * max(1.0, np.max(np.abs(seen[:, 4:]))), k
    assert n_failed >= 2
    assert np.ptp(env.batch.joint_points()[:, 4, 1, 0]) > 1e-3  # lengths do differ


def check_joint_points_in_space():
    """A wrist of the Delta robot is one place, by its rod and by its platform."""
    task = sarrus.gym.task_of("DeltaPick-v0")
    model = sarrus.load(task.scenario)
    wrist = next(
        joint
        for joint, ends in zip(model.joints, model.joint_bodies, strict=True)
        if set(ends) == {names_of(model).index("rod_1l"), names_of(model).index("platform")}
    )
    points = {**task.points, "one": ("rod_1l", wrist), "other": ("platform", wrist)}
    env = native(replace(task, points=points, observation=("one", "other", "one.v", "other.v")), 3, max_episode_steps=-1)
    env.reset(seed=0)
    for action in np.random.default_rng(0).uniform(-1.0, 1.0, (SHORT, 3, 3)):
        seen, *_ = env.step(action)
        assert np.max(np.abs(seen[:, :3] - seen[:, 3:6])) < 1e-8 and np.max(np.abs(seen[:, 6:9] - seen[:, 9:])) < 1e-6
    assert np.min(np.max(np.abs(seen[:, 6:]), axis=1)) > 1e-2


def names_of(model):
    """Bodies in the order of the coordinates."""
    return [name[:-2] for name in model.coordinates if name.endswith(".x")]


def check_example():
    """With no errors the mechanism with tolerances is that of the task: observations agree to 1e-9 over an episode."""
    task = sarrus.gym.task_of(TASK)
    labels = [label for label in sarrus.load(TOLERANCES).parameters if label != "phi"]
    lean = np.array([0.3, 0.6])
    bent = native(with_tolerances(task.observation), 2, parameters={**dict.fromkeys(labels, 0.0), "phi": lean})
    straight = native(task, 2, parameters={"m": 0.3, "c": 0.02, "phi": lean})
    assert np.allclose(bent.reset(seed=1)[0], straight.reset(seed=1)[0], rtol=0, atol=1e-12)
    for action in actions_of(SHORT - 1, 2):
        ours, theirs = bent.step(action), straight.step(action)
        assert np.allclose(ours[0], theirs[0], rtol=0, atol=1e-9) and np.allclose(ours[1], theirs[1], rtol=0, atol=1e-9)
    one = native(with_tolerances(task.observation), 2, parameters={**dict.fromkeys(labels, 0.0), "phi": lean, "e_left": [0, 1]})
    seen, _ = one.reset(seed=1)
    assert np.allclose(seen[0], bent.reset(seed=1)[0][0], rtol=0, atol=1e-12)
    assert abs(seen[1, 6] - bent.reset(seed=1)[0][1, 6]) > 1e-4  # x of the tip


def check_told_at_the_beginning():
    """Whose numbers make no mechanism, and of which functions give no row for each environment, is said at once."""
    for mode in ("SameStep", "NextStep", "Disabled"):
        env = sarrus.gym.VectorEnv(TASK, 3, autoreset_mode=mode, specialize="off", parameters={"m": [0.3, -1.0, 0.3]})
        _, infos = env.reset(seed=0)
        assert list(infos["_status"]) == [False, True, False], mode
        assert sarrus.STATUS_WORDS[infos["status"][1]] == "invalid_parameter"
        ended = env.step(np.zeros((3, 2)))[2]
        assert list(ended) == [False, True, False]
        if mode == "NextStep":
            infos = env.step(np.zeros((3, 2)))[4]
            assert list(infos["_status"]) == [False, True, False]
    _, infos = native(TASK, 3).reset(seed=0)
    assert "status" not in infos
    task = sarrus.gym.task_of(TASK)
    wrong = {"reward": lambda _: 1.0, "terminated": lambda state: state.q > 0.0, "observation": lambda _: [[1.0]]}
    for name, function in wrong.items():

        def use(name=name, function=function):
            env = native(replace(task, **{name: function}), 3)
            env.reset(seed=0)
            env.step(np.zeros((3, 2)))

        refused(use, name, "(3,)")


def check_truncation_after_an_interrupted_step():
    """The step that should have ended the episode was interrupted: the next one ends it. Lengths and seeds are whole numbers."""
    is_interrupted = [False]

    def reward(state):
        if is_interrupted[0]:
            raise KeyboardInterrupt
        return np.zeros(len(state))

    env = native(replace(sarrus.gym.task_of(TASK), reward=reward), 2, max_episode_steps=3)
    env.reset(seed=0)
    seen = []
    for k in range(6):
        is_interrupted[0] = k == 2
        try:
            seen.append(bool(env.step(np.zeros((2, 2)))[3][0]))
        except KeyboardInterrupt:
            seen.append(None)
    assert seen == [False, False, None, True, False, False], seen
    for most in (0, -5, 2.5, "3"):
        refused(lambda most=most: native(TASK, 2, max_episode_steps=most), "max_episode_steps")
    refused(lambda: native(TASK, 2, parameters=["m"]), "parameters")
    for seeds in ([0.5, 1], np.array([1.5, 2.0])):
        try:
            env.reset(seed=seeds)
        except gymnasium.error.Error:
            continue
        raise AssertionError(seeds)


def main():
    check_kept()
    check_same_bits()
    check_nominal()
    check_copied()
    check_refused()
    check_joint_points()
    check_joint_points_in_space()
    check_example()
    check_told_at_the_beginning()
    check_truncation_after_an_interrupted_step()
    print("ok")


if __name__ == "__main__":
    main()
