"""Every task of sarrus.gym: Gymnasium's checker; bits of an environment whatever the number of others, its place and threads;
points against the loops that they close and their velocities against differences; a pendulum against its equation of motion. Exit
code 77 (skipped) without gymnasium or the package."""

import sys
import warnings
from dataclasses import replace

try:
    import gymnasium
    import numpy as np
    import sarrus
    import sarrus.gym
    from gymnasium.utils.env_checker import check_env
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SHORT = 8  # steps of an episode here


def native(task, n, **options):
    return sarrus.gym.VectorEnv(task, n, **({"threads": 1, "specialize": "off"} | options))


def actions_of(env, n_steps, seed=0):
    """[n_steps, N, A] for the policy, some beyond its limits."""
    width = env.single_action_space.shape[0]
    return np.random.default_rng(seed).uniform(-1.2, 1.2, (n_steps, env.num_envs, width))


def check_checker(name):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(gymnasium.make(f"sarrus/{name}").unwrapped)
    others = [str(w.message) for w in told if "infinity" not in str(w.message)]
    assert not others, others


def check_independence(name):
    """Bits of an environment depend on its seed and its actions, not on how many others there are, where it stands, or threads;
    over several episodes, which do not begin at the same time."""
    n, n_steps = 21, 2 * SHORT + 3
    seeds = np.random.default_rng(1).permutation(1000)[:n].tolist()
    seeds[1], seeds[2] = seeds[0] + 1024, seeds[0] + 2048  # which the library draws at the same place
    whole = native(name, n, threads=2, dtype=np.float64, max_episode_steps=SHORT)
    actions = actions_of(whole, n_steps)
    actions[3, 5] = np.nan  # ends environment 5
    whole_seen, whole_rewards = [whole.reset(seed=seeds)[0]], []
    for action in actions:
        seen, rewards, *_ = whole.step(action)
        assert np.all(np.isfinite(seen)) and np.all(np.isfinite(rewards)) and np.all(np.abs(rewards) <= 1.0 + 1e-12)
        whole_seen.append(seen)
        whole_rewards.append(rewards)
    assert len({row.tobytes() for row in whole_seen[1]}) == n  # seeds and actions do differ
    for places in ([20], [5], [11, 0, 17], list(range(n))[::-1]):
        part = native(name, len(places), dtype=np.float64, max_episode_steps=SHORT)
        seen, _ = part.reset(seed=[seeds[i] for i in places])
        assert seen.tobytes() == whole_seen[0][places].tobytes(), places
        for k, action in enumerate(actions):
            seen, rewards, *_ = part.step(action[places])
            assert seen.tobytes() == whole_seen[k + 1][places].tobytes(), (places, k)
            assert rewards.tobytes() == whole_rewards[k][places].tobytes(), (places, k)


def check_episodes(name):
    """Mechanisms live through episodes at random actions: what ends one is the task, not a failure."""
    env = native(name, 16, autoreset_mode="SameStep")
    env.reset(seed=0)
    n_ended = n_failed = 0
    for action in actions_of(env, 60):
        _, _, terminated, truncated, infos = env.step(action)
        n_ended += np.sum(terminated | truncated)
        n_failed += "status" in infos.get("final_info", {})
    assert n_failed == 0, (n_ended, n_failed)


def moved_points(scenario, points, dt):
    """Places and velocities of the points, by name, of a scenario that is in motion: dt before a time, then, and dt after it."""
    batch = sarrus.Batch(scenario, 1, draw=False, threads=1, specialize="off", settings={"integrator.dt": dt})
    sight = sarrus.gym.sights.Sight(batch, sarrus.gym.layouts.Layout(batch.model, points))
    moments, empty = [], np.zeros((1, 0))
    batch.input = np.linspace(0.1, 0.2, batch.model.sizes["n_inputs"])[None]
    for n_steps in (100, 1, 1):
        batch.advance(n_steps)
        sight.look()
        state = sarrus.gym.State(sight, None, goal=empty, action=empty, time=np.zeros(1), look=batch.observe)
        moments.append({name: (state.point(name), state.velocity(name)) for name in points})
    return moments


def check_points():
    """A point of two bodies that a joint holds together is the same one, as well as projection holds it, and its velocity is that
    of differences over 2 dt, to dt^2/6 times the third derivative: below 1e-3 of 1 m/s, at dt = 1e-3 s and some 10 rad/s."""
    planar = sarrus.gym.task_of("FiveBarReach-v0").scenario
    spatial = sarrus.gym.task_of("DeltaPick-v0").scenario
    angle, r, w = -2.0 * np.pi / 3.0, 0.06, 0.05
    wrist = [r * np.cos(angle) + w * np.sin(angle), r * np.sin(angle) - w * np.cos(angle), 0.0]
    for scenario, one, other in (
        (planar, ("left_rod", (0.15, 0.0)), ("right_rod", (0.15, 0.0))),
        (spatial, ("rod_3l", (0.25, 0.0, 0.0)), ("platform", wrist)),
    ):
        before, now, after = moved_points(scenario, {"one": one, "other": other}, 1e-3)
        (place, speed), (other_place, other_speed) = now["one"], now["other"]
        assert np.max(np.abs(place - other_place)) < 1e-9, (place, other_place)
        assert np.max(np.abs(speed - other_speed)) < 1e-8
        slope = (after["one"][0] - before["one"][0]) / 2e-3
        size = np.linalg.norm(speed)
        assert size > 0.05 and np.max(np.abs(slope - speed)) < 1e-3 * max(1.0, size), (slope, speed)


def left_x(state):
    return state.column("left.x")


def check_names():
    """Observations by name are what the batch shows under these names."""
    terms = ("left.theta", ("right.omega", 0.5), "sin(left.theta)", "cos(right.theta - left.theta)", "right.theta - left.theta")
    terms = (*terms, "tip.v", "energy", "reactions/tip", "goal", "action", "time", "parameters", left_x)
    task = replace(sarrus.gym.task_of("FiveBarReach-v0"), observation=terms)
    env = native(task, 3, dtype=np.float64)
    env.reset(seed=0)
    env.step(actions_of(env, 1)[0])
    seen, *_ = env.step(actions_of(env, 1, seed=1)[0])
    found = env.batch.observe(["left.theta", "right.theta", "right.omega", "energy", "reactions/tip", "left.x"])
    left, right = found["left.theta"], found["right.theta"]
    assert np.array_equal(seen[:, 0], left) and np.array_equal(seen[:, 1], 0.5 * found["right.omega"])
    for column, expected in ((2, np.sin(left)), (3, np.cos(right - left))):  # the kernels' and NumPy's, to an ulp each
        assert np.max(np.abs(seen[:, column] - expected)) < 4.5e-16
    assert np.array_equal(seen[:, 4], right - left) and np.array_equal(seen[:, 7], found["energy"])
    assert np.array_equal(seen[:, 8:11], found["reactions/tip"])
    assert np.all((seen[:, 11] >= -0.14) & (seen[:, 11] <= 0.14)) and np.all(np.abs(seen[:, 13:15]) <= task.high[0])
    assert np.allclose(seen[:, 15], 2 * task.substeps * 2e-3) and np.array_equal(seen[:, 16:-1], env.batch.parameters)
    assert np.array_equal(seen[:, -1], found["left.x"])
    failed, _, terminated, _, _ = env.step(np.where(np.arange(3) == 1, np.nan, 0.0)[:, None] * np.ones(2))
    assert list(terminated) == [False, True, False] and np.all(np.isfinite(failed))
    assert failed[1, 7] == 0.0 and failed[1, 0] == seen[1, 0]  # what there is no number of; of the last good state
    for wrong in ("left.thet", "sin(nothing)", "sin(left.theta", "left.theta + right.theta", "nothing - left.theta"):
        try:
            native(replace(task, observation=(wrong,)), 1)
        except sarrus.ArgumentError:
            continue
        raise AssertionError(f"{wrong} was taken")


def check_formulas():
    """A reward, an end and an info that are declared are what functions of the same give."""
    written = sarrus.gym.task_of("FiveBarReach-v0")
    declared = replace(
        written,
        reward="1 - tanh(10*sqrt((tip.x - goal[0])^2 + (tip.y - goal[1])**2)) - 0.02*(action[0]^2 + action[1]^2)/0.6^2",
        terminated="hypot(elbow_right.x - elbow_left.x, elbow_right.y - elbow_left.y)/0.6 > 0.97 || not (tip.y > -1) && time >= 0",
        info={"distance": "hypot(tip.x - goal[0], tip.y - goal[1])", "swing": "cos(left.theta)*left.omega - sin(2*right.theta)",
              "more": "where(time > 0.02, min(tip.vx, tip.vy), pi) + max(energy, -1e9) + parameters[1] - 90*deg"},
    )  # fmt: skip
    one, other = native(written, 7, dtype=np.float64), native(declared, 7, dtype=np.float64)
    one.reset(seed=3), other.reset(seed=3)
    for k, action in enumerate(actions_of(one, 30)):
        (_, rewards, ended, _, infos), (_, formula, formula_ended, _, formula_infos) = one.step(action), other.step(action)
        assert np.max(np.abs(rewards - formula)) < 1e-14 and np.array_equal(ended, formula_ended)
        assert np.max(np.abs(infos["distance"] - formula_infos["distance"])) < 1e-15
        found = other.batch.observe(["left.theta", "left.omega", "right.theta", "energy"])
        swing = np.cos(found["left.theta"]) * found["left.omega"] - np.sin(2 * found["right.theta"])
        assert np.max(np.abs(formula_infos["swing"] - swing)) < 1e-13
        rest = formula_infos["more"] - found["energy"] - other.batch.parameters[:, 1] + np.pi / 2
        assert k > 0 or np.max(np.abs(rest - np.pi)) < 1e-9
        assert k == 0 or np.max(np.abs(rest)) < 20.0
    for wrong, told in (
        ("tip.q", "nothing is called"), ("goal[2]", "goal[0 … 1]"), ("sin(1, 2)", "1 argument"),
        ("foo(1)", "no function foo"), ("1 +", "no formula"), ("tip.z", "nothing is called"),
        ("action[-1]", "no such number"), ("1 < time < 2", "no meaning"), ("'a'", "no meaning"), ("time @ 2", "operator"),
        ("time if 1 else 2", "no meaning"), ("", "no formula"), ("__import__('os')", "no function"),
        ("(lambda: 1)()", "no meaning"), ("left", "nothing"), ("left.theta.real", "nothing is called"),
        ("1" + "0" * 400, "too large"), ("(" * 5000 + "1" + ")" * 5000, "no formula"), ("sin(x=1)", "no meaning"),
        ("1e400", "too large"), ("1\x002", "no formula"), (5, "functions"),
    ):  # fmt: skip
        try:
            native(replace(written, reward=wrong), 1)
        except sarrus.ArgumentError as error:
            assert told in str(error), (wrong, error)
            continue
        raise AssertionError(f"{str(wrong)[:40]!r} was taken")


def check_start():
    """`start` puts episodes where it says, by numbers of the environment's own; they are assembled."""
    def start(state, u):
        v = state.v.copy()
        v[:, 2] = 2.0 * u[:, 0]  # of one crank, which all must follow
        return state.q, v

    task = replace(sarrus.gym.task_of("ParallelPendulumSwingUp-v0"), start=start)
    whole, one = native(task, 5, dtype=np.float64), native(task, 1, dtype=np.float64)
    seen, _ = whole.reset(seed=3)
    assert np.all(seen[:, 2] != 0.0) and len(np.unique(seen[:, 2])) == 5
    assert one.reset(seed=5)[0].tobytes() == seen[2:3].tobytes()
    speeds = whole.batch.observe(["crank_a.omega", "crank_c.omega"])
    assert np.allclose(speeds["crank_a.omega"], speeds["crank_c.omega"], rtol=1e-12)
    again, _ = whole.reset()
    assert not np.any(again[:, 2] == seen[:, 2]) and one.reset()[0].tobytes() == again[2:3].tobytes()
    fixed = native(task, 2, dtype=np.float64, randomize=False)
    first, _ = fixed.reset(seed=0)
    fixed.step(np.zeros((2, 1)))
    assert fixed.reset(seed=0)[0].tobytes() == first.tobytes()  # from the scenario's own state, not from where it was


def check_pendulum():
    """Pumped up past the level position, where the cranks lie in one line, the pendulum keeps to its equation of motion: errors of
    both integrations, rk4 at 4 ms and at 0.4 ms, stay below 1e-5 rad in these 6 s."""
    env = native("ParallelPendulumSwingUp-v0", 3, dtype=np.float64)
    env.reset(seed=1)
    labels, drawn = env.batch.parameter_labels, env.batch.parameters
    coupler, friction, phi = (drawn[:, labels.index(name)] for name in ("M", "c", "phi"))
    length, crank, gravity = 0.5, 0.2, 9.81
    inertia = (crank + coupler) * length**2
    weight = (1.5 * crank + coupler) * length * gravity

    def slope(x, torque):
        return np.stack((x[1], (torque - weight * np.sin(x[0]) - friction * x[1]) / inertia))

    x = np.stack((phi, np.zeros(3)))
    highest = np.zeros(3)
    for _ in range(150):
        action = np.where(x[1] >= 0.0, 1.0, -1.0)
        env.step(action[:, None])
        h = 4e-4
        for _ in range(100):
            a = slope(x, action)
            b = slope(x + h / 2 * a, action)
            c = slope(x + h / 2 * b, action)
            d = slope(x + h * c, action)
            x = x + h / 6 * (a + 2 * b + 2 * c + d)
        highest = np.maximum(highest, np.abs(x[0]))
        assert np.max(np.abs(env.batch.observe("crank_a.theta")["crank_a.theta"] - x[0])) < 1e-5
    assert np.all(highest > np.pi / 2 + 0.2), highest


def main():
    for name in sarrus.gym.TASKS:
        check_checker(name)
        check_independence(name)
        check_episodes(name)
    check_points()
    check_names()
    check_formulas()
    check_start()
    check_pendulum()
    print("ok")


if __name__ == "__main__":
    main()
